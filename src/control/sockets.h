// The few calls of TCP that the watch needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/ip_address.h"

namespace verbund {

// A file descriptor with an owner.
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

  // As much as can leave now: the number of bytes, 0 if nothing, -1 if the other side is gone.
  int send(std::span<const std::byte> data) const;
  // What is there, at most this much: the number of bytes, 0 if there is nothing yet, -1 if the
  // other side is gone.
  int receive(std::span<std::byte> data) const;

 private:
  int descriptor_;
};

// Where a worker can be called.
struct Endpoint {
  IpAddress address;
  uint16_t port = 0;

  std::string text() const;  // "10.0.0.1:4000", "[fd00::1]:4000"
};

// On a free port, which is told. Not open if this machine cannot listen there.
Socket listen_at(const IpAddress& address, uint16_t& port);
// On all interfaces, for callers of both versions of IP.
Socket listen_everywhere(uint16_t& port);
// Not open if nobody has called.
Socket accept_one(const Socket& listening);
// Not open if nobody answers within the time.
Socket connect_to(const Endpoint& endpoint, double seconds);

// Is there something to read or to accept, at once or within the time?
bool is_readable(const Socket& socket, double seconds);

// The address of this machine from which packets to the other one leave; nothing if there is no route. Sends none.
std::optional<IpAddress> source_towards(const IpAddress& other);

// Processes with the same one reach each other over the loopback: they see the same network of the same machine. Host
// names do not tell that. "" if it is not known.
std::string network_identity();

}  // namespace verbund
