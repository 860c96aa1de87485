// Where worker 0 listens for the others: only at those addresses of its machine by which they can reach it, so that the
// port is not open to everybody who can reach the machine by another way.
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
  std::vector<IpAddress> addresses;  // all that its machine has for others
};

struct ListeningAddresses {
  std::vector<IpAddress> addresses;  // none: it has to listen everywhere
  std::string why_everywhere;
};

// The address of this machine from which packets to the other leave; nothing without a route.
using FindSource = std::function<std::optional<IpAddress>(const IpAddress& other)>;

// `networks` is what the user has chosen, "eth1,10.0.0.0/24", or "": then the addresses count that have routes to the
// others. Without anybody on another machine it is the loopback.
ListeningAddresses choose_listening_addresses(const std::vector<OwnAddress>& own, const std::string& networks,
                                              const std::vector<RemoteWorker>& others, const FindSource& source);

// What Open MPI was told to use: launch's --nic, or the user's own parameter. "" if nothing.
std::string networks_of_mpi();

}  // namespace verbund
