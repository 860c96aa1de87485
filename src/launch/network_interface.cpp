#include "launch/network_interface.h"

#include <net/if.h>

#include <memory>
#include <sstream>

#include "core/error.h"

namespace verbund {
namespace {

std::string interface_names() {
  std::string names;
  const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex*)> list(::if_nameindex(), ::if_freenameindex);
  for (const auto* item = list.get(); item != nullptr && item->if_name != nullptr; ++item) {
    names += (names.empty() ? "" : ", ") + std::string(item->if_name);
  }
  return names;
}

}  // namespace

void check_interfaces(const std::string& list) {
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    const bool is_network = item.find('/') != std::string::npos;
    if (is_network && item.find(':') != std::string::npos) {
      fail_usage(
          "--nic {}: Open MPI knows networks of IPv4 only, not {}. Give the interface that has its addresses, of {}",
          list, item, interface_names());
    }
    if (is_network || ::if_nametoindex(item.c_str()) != 0) continue;
    fail_usage(
        "--nic {}: this machine has no network interface \"{}\"; it has {}.\n"
        "Where hosts name theirs differently, give the network: --nic 10.0.0.0/24",
        list, item, interface_names());
  }
}

}  // namespace verbund
