// SPDX-License-Identifier: Apache-2.0
#include "core/ip_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <charconv>
#include <cstring>
#include <memory>

namespace verbund {
namespace {

size_t address_size(int family) { return family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr); }

}  // namespace

IpAddress::IpAddress(int family, const void* bytes) : family_(family) {
  std::memcpy(bytes_.data(), bytes, address_size(family));
}

std::optional<IpAddress> IpAddress::parse(const std::string& text) {
  in6_addr bytes = {};
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, text.c_str(), &bytes) == 1) return IpAddress(family, &bytes);
  }
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::of(const sockaddr* place) {
  if (place == nullptr) return std::nullopt;
  if (place->sa_family == AF_INET) return IpAddress(AF_INET, &reinterpret_cast<const sockaddr_in*>(place)->sin_addr);
  if (place->sa_family != AF_INET6) return std::nullopt;
  return IpAddress(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(place)->sin6_addr);
}

std::string IpAddress::text() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(family_, bytes_.data(), text, sizeof text);
  return text;
}

bool IpAddress::is_loopback() const {
  static const IpAddress v6 = *parse("::1");
  return family_ == AF_INET ? bytes_[0] == 127 : *this == v6;
}

bool IpAddress::is_link_local() const {
  return family_ == AF_INET ? bytes_[0] == 169 && bytes_[1] == 254 : bytes_[0] == 0xfe && (bytes_[1] & 0xc0) == 0x80;
}

std::pair<sockaddr_storage, socklen_t> IpAddress::with_port(uint16_t port) const {
  sockaddr_storage place = {};
  if (family_ == AF_INET) {
    sockaddr_in v4 = {};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, bytes_.data(), sizeof v4.sin_addr);
    std::memcpy(&place, &v4, sizeof v4);
    return {place, sizeof v4};
  }
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  std::memcpy(&v6.sin6_addr, bytes_.data(), sizeof v6.sin6_addr);
  std::memcpy(&place, &v6, sizeof v6);
  return {place, sizeof v6};
}

std::optional<IpNetwork> IpNetwork::parse(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::optional<IpAddress> address = IpAddress::parse(text.substr(0, slash));
  const char* const end = text.data() + text.size();
  int bits = -1;
  const auto [rest, error] = std::from_chars(text.data() + slash + 1, end, bits);
  if (!address || error != std::errc() || rest != end || bits < 0) return std::nullopt;
  if (static_cast<size_t>(bits) > 8 * address_size(address->family())) return std::nullopt;
  return IpNetwork(*address, bits);
}

bool IpNetwork::contains(const IpAddress& address) const {
  if (address.family() != address_.family()) return false;
  for (int bit = 0; bit < bits_; ++bit) {
    const auto byte = static_cast<size_t>(bit / 8);
    if (((address.bytes_[byte] ^ address_.bytes_[byte]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

bool OwnAddress::is_for_others() const {
  const bool is_of_one_link = address.family() == AF_INET6 && address.is_link_local();
  return is_up && !is_loopback && !is_of_one_link;
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
