// SPDX-License-Identifier: Apache-2.0
// ListeningAddresses are the addresses at which worker 0 listens for the others: only those by which they can reach it,
// so the port is not open to anybody who can reach the machine by another network.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/ip_address.h"

namespace verbund {

// A worker of another machine.
struct RemoteWorker {
  std::string name;                  // "worker 1 on b"
  std::vector<IpAddress> addresses;  // all addresses of its machine that others may reach
};

struct ListeningAddresses {
  std::vector<IpAddress> addresses;  // empty: worker 0 has to listen everywhere
  std::string why_everywhere;
};

// The address of this machine from which packets to the other one leave; nothing without a route.
using FindSource = std::function<std::optional<IpAddress>(const IpAddress& other)>;

// `networks` is the user's choice, "eth1,10.0.0.0/24"; if it is empty, the addresses with routes to the others are
// chosen. If all workers are on one machine, the loopback is chosen.
ListeningAddresses choose_listening_addresses(const std::vector<OwnAddress>& own, const std::string& networks,
                                              const std::vector<RemoteWorker>& others, const FindSource& source);

// The networks that Open MPI was told to use, by launch --nic or by the user's own parameter; "" if none.
std::string networks_of_mpi();

}  // namespace verbund
