// SPDX-License-Identifier: Apache-2.0
// IpAddress is an IPv4 or IPv6 address, IpNetwork a network of them, OwnAddress one of this machine.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace verbund {

class IpAddress {
 public:
  // "10.0.0.1" or "fd00::1"; nothing if it is neither.
  static std::optional<IpAddress> parse(const std::string& text);
  // Nothing for null and other families.
  static std::optional<IpAddress> of(const sockaddr* place);

  std::string text() const;
  int family() const { return family_; }  // AF_INET or AF_INET6
  bool is_loopback() const;
  // Valid on one link only: for IPv6, a sender would have to name the interface.
  bool is_link_local() const;

  // For system calls; the size is the used part of it.
  std::pair<sockaddr_storage, socklen_t> with_port(uint16_t port) const;

  bool operator==(const IpAddress&) const = default;

 private:
  friend class IpNetwork;
  IpAddress(int family, const void* bytes);

  int family_;
  std::array<uint8_t, 16> bytes_ = {};  // IPv4: the first four
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

// An address of this machine, and the interface it belongs to.
struct OwnAddress {
  std::string interface;  // "eth1"
  IpAddress address;
  bool is_up = true;
  bool is_loopback = false;  // the interface

  // Other hosts can send to it: it is up, not of the loopback, and needs no name of an interface beside it.
  bool is_for_others() const;
};

// IPv4 and IPv6, in the order of the system; none if the system does not tell.
std::vector<OwnAddress> own_addresses();

}  // namespace verbund
