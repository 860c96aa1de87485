// SPDX-License-Identifier: Apache-2.0
#include "control/listening_addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace verbund {
namespace {

void add_once(std::vector<IpAddress>& addresses, const IpAddress& address) {
  if (std::find(addresses.begin(), addresses.end(), address) == addresses.end()) addresses.push_back(address);
}

// The addresses of the chosen interfaces and networks.
std::vector<IpAddress> chosen_addresses(const std::vector<OwnAddress>& own, const std::string& networks) {
  std::vector<IpAddress> chosen;
  std::istringstream items(networks);
  for (std::string item; std::getline(items, item, ',');) {
    const std::optional<IpNetwork> network = IpNetwork::parse(item);
    for (const OwnAddress& one : own) {
      if (!one.is_for_others()) continue;
      if (network ? network->contains(one.address) : one.interface == item) add_once(chosen, one.address);
    }
  }
  return chosen;
}

}  // namespace

ListeningAddresses choose_listening_addresses(const std::vector<OwnAddress>& own, const std::string& networks,
                                              const std::vector<RemoteWorker>& others, const FindSource& source) {
  if (others.empty()) return {{*IpAddress::parse("127.0.0.1"), *IpAddress::parse("::1")}, ""};
  ListeningAddresses result{chosen_addresses(own, networks), ""};
  if (!result.addresses.empty()) return result;

  const auto is_own = [&](const IpAddress& address) {
    return std::any_of(own.begin(), own.end(), [&](const OwnAddress& one) { return one.address == address; });
  };
  for (const RemoteWorker& other : others) {
    bool is_reached = false;
    for (const IpAddress& address : other.addresses) {
      if (is_own(address)) continue;  // such as those of virtual bridges, which are the same on many machines
      const std::optional<IpAddress> from = source(address);
      if (!from) continue;
      add_once(result.addresses, *from);
      is_reached = true;
    }
    if (!is_reached) return {{}, fmt::format("there is no route to {}", other.name)};
  }
  return result;
}

std::string networks_of_mpi() {
  for (const char* name : {"OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_oob_tcp_if_include"}) {
    if (const char* networks = std::getenv(name); networks != nullptr && *networks != '\0') return networks;
  }
  return "";
}

}  // namespace verbund
