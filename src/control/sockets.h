// SPDX-License-Identifier: Apache-2.0
// Socket owns a TCP socket; the functions below are the few calls that the control channel needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/ip_address.h"

namespace verbund {

class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  void close();
  int release();

  // Sends as much as possible without blocking: the number of bytes, or -1 if the other side is gone.
  int send(std::span<const std::byte> data) const;
  // Reads what has arrived: the number of bytes, 0 if there is nothing yet, -1 if the other side is gone.
  int receive(std::span<std::byte> data) const;

 private:
  int descriptor_;
};

// An address and port at which a worker listens.
struct Endpoint {
  IpAddress address;
  uint16_t port = 0;

  std::string text() const;  // "10.0.0.1:4000", "[fd00::1]:4000"
};

// Listens on a free port, which `port` returns. Not open if this machine cannot listen there.
Socket listen_at(const IpAddress& address, uint16_t& port);
// Listens on all interfaces, for both versions of IP.
Socket listen_everywhere(uint16_t& port);
// Not open if no connection is waiting.
Socket accept_one(const Socket& listening);
// Not open if the connection is not accepted within the time.
Socket connect_to(const Endpoint& endpoint, double seconds);

// True if there is something to read or to accept within the time.
bool is_readable(const Socket& socket, double seconds);

// The address of this machine from which packets to the other one leave; nothing if there is no route. Sends none.
std::optional<IpAddress> source_towards(const IpAddress& other);

// Identifies the network namespace of this machine: processes with the same identity reach each other over the
// loopback, which host names do not tell. "" if it is unknown.
std::string network_identity();

}  // namespace verbund
