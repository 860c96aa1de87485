// Addresses of the internet protocol as values, of version 4 or 6, and networks of them.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace verbund {

class IpAddress {
 public:
  // "10.0.0.1" or "fd00::1"; nothing if it is neither.
  static std::optional<IpAddress> parse(const std::string& text);
  // Nothing if it is of neither version, or null.
  static std::optional<IpAddress> of(const sockaddr* place);

  std::string text() const;
  int family() const { return family_; }  // AF_INET or AF_INET6
  bool is_loopback() const;
  // It means something on one cable only: for IPv6, others would have to know the interface that leads there.
  bool is_link_local() const;

  // For calls of the system; the size says how much of it counts.
  std::pair<sockaddr_storage, socklen_t> with_port(uint16_t port) const;

  bool operator==(const IpAddress&) const = default;

 private:
  friend class IpNetwork;
  IpAddress(int family, const void* bytes);

  int family_;
  std::array<uint8_t, 16> bytes_ = {};  // of version 4 the first four
};

// "10.0.0.0/24", "fd00::/64"
class IpNetwork {
 public:
  static std::optional<IpNetwork> parse(const std::string& text);

  bool contains(const IpAddress& address) const;

 private:
  IpNetwork(const IpAddress& address, int bits) : address_(address), bits_(bits) {}

  IpAddress address_;
  int bits_;
};

}  // namespace verbund
