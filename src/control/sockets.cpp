// SPDX-License-Identifier: Apache-2.0
#include "control/sockets.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/error.h"
#include "core/machine.h"

namespace verbund {
namespace {

constexpr int kWaitingCallers =
    1024;  // connections that the system keeps until they are accepted; large, so strangers do not fill it
constexpr int kTcp = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

bool bind_to(const Socket& socket, const IpAddress& address) {
  const auto [place, size] = address.with_port(0);
  return bind(socket.descriptor(), reinterpret_cast<const sockaddr*>(&place), size) == 0;
}

bool connect_now(const Socket& socket, const Endpoint& endpoint) {
  const auto [place, size] = endpoint.address.with_port(endpoint.port);
  return connect(socket.descriptor(), reinterpret_cast<const sockaddr*>(&place), size) == 0;
}

std::optional<Endpoint> own_end(const Socket& socket) {
  sockaddr_storage place = {};
  socklen_t size = sizeof place;
  auto* const generic = reinterpret_cast<sockaddr*>(&place);
  if (getsockname(socket.descriptor(), generic, &size) != 0) return std::nullopt;
  const std::optional<IpAddress> address = IpAddress::of(generic);
  if (!address) return std::nullopt;
  return Endpoint{*address, ntohs(place.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&place)->sin_port
                                                             : reinterpret_cast<sockaddr_in6*>(&place)->sin6_port)};
}

// Listens at the address the socket is bound to; false if that fails.
bool start_listening(const Socket& socket, uint16_t& port) {
  if (listen(socket.descriptor(), kWaitingCallers) != 0) return false;
  const std::optional<Endpoint> own = own_end(socket);
  port = own ? own->port : 0;
  return port != 0;
}

// Small messages are sent at once.
void set_no_delay(const Socket& socket) {
  const int on = 1;
  setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool is_ready(int descriptor, short events, double seconds) {
  pollfd poll_descriptor = {descriptor, events, 0};
  return poll(&poll_descriptor, 1, static_cast<int>(seconds * 1000)) == 1;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = other.release();
  }
  return *this;
}

void Socket::close() {
  if (const int descriptor = release(); descriptor >= 0) ::close(descriptor);
}

int Socket::release() { return std::exchange(descriptor_, -1); }

int Socket::send(std::span<const std::byte> data) const {
  const ssize_t sent = ::send(descriptor_, data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<int>(sent);
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

int Socket::receive(std::span<std::byte> data) const {
  const ssize_t received = recv(descriptor_, data.data(), data.size(), MSG_DONTWAIT);
  if (received > 0) return static_cast<int>(received);
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
  return -1;
}

std::string Endpoint::text() const {
  return address.family() == AF_INET ? fmt::format("{}:{}", address.text(), port)
                                     : fmt::format("[{}]:{}", address.text(), port);
}

Socket listen_at(const IpAddress& address, uint16_t& port) {
  Socket listening(socket(address.family(), kTcp, 0));
  const bool listens = listening.is_open() && bind_to(listening, address) && start_listening(listening, port);
  return listens ? std::move(listening) : Socket();
}

Socket listen_everywhere(uint16_t& port) {
  static const IpAddress any = *IpAddress::parse("::"), any_v4 = *IpAddress::parse("0.0.0.0");
  Socket both(socket(AF_INET6, kTcp, 0));
  const int off = 0;
  if (both.is_open() && setsockopt(both.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0 &&
      bind_to(both, any) && start_listening(both, port)) {
    return both;
  }
  Socket listening = listen_at(any_v4, port);  // a system without IPv6
  if (!listening.is_open()) fail_errno("cannot open a port for the other workers");
  return listening;
}

Socket accept_one(const Socket& listening) {
  Socket accepted(accept4(listening.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  if (accepted.is_open()) set_no_delay(accepted);
  return accepted;
}

Socket connect_to(const Endpoint& endpoint, double seconds) {
  Socket connection(socket(endpoint.address.family(), kTcp, 0));
  if (!connection.is_open()) return Socket();
  if (!connect_now(connection, endpoint)) {
    int error = 0;
    socklen_t length = sizeof error;
    if (errno != EINPROGRESS || !is_ready(connection.descriptor(), POLLOUT, seconds) ||
        getsockopt(connection.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
      return Socket();
    }
  }
  set_no_delay(connection);
  return connection;
}

bool is_readable(const Socket& socket, double seconds) { return is_ready(socket.descriptor(), POLLIN, seconds); }

std::optional<IpAddress> source_towards(const IpAddress& other) {
  constexpr uint16_t kAnyPort = 9;
  const Socket datagrams(socket(other.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!datagrams.is_open() || !connect_now(datagrams, {other, kAnyPort})) return std::nullopt;
  const std::optional<Endpoint> own = own_end(datagrams);
  return own ? std::optional(own->address) : std::nullopt;
}

std::string network_identity() {
  const std::string boot = boot_id();
  std::string network(64, ' ');
  const ssize_t length = readlink("/proc/thread-self/ns/net", network.data(), network.size());
  return boot.empty() || length <= 0 ? "" : boot + " " + network.substr(0, static_cast<size_t>(length));
}

}  // namespace verbund
