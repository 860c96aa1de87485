#include "core/own_addresses.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <memory>

namespace verbund {

bool OwnAddress::is_for_others() const {
  const bool is_of_one_cable = address.family() == AF_INET6 && address.is_link_local();
  return is_up && !is_loopback && !is_of_one_cable;
}

std::vector<OwnAddress> own_addresses() {
  std::vector<OwnAddress> found;
  ifaddrs* listed = nullptr;
  if (::getifaddrs(&listed) != 0) return found;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> interfaces(listed, ::freeifaddrs);
  for (const ifaddrs* item = interfaces.get(); item != nullptr; item = item->ifa_next) {
    const std::optional<IpAddress> address = IpAddress::of(item->ifa_addr);
    const auto is = [&](unsigned flag) { return (item->ifa_flags & flag) != 0; };
    if (address) found.push_back({item->ifa_name, *address, is(IFF_UP), is(IFF_LOOPBACK)});
  }
  return found;
}

}  // namespace verbund
