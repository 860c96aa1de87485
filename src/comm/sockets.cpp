#include "comm/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <utility>

#include "core/error.h"

namespace verbund {
namespace {

sockaddr_in ipv4(in_addr address, uint16_t port) {
  sockaddr_in result = {};
  result.sin_family = AF_INET;
  result.sin_addr = address;
  result.sin_port = htons(port);
  return result;
}

// Small messages leave at once.
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

Socket listen_anywhere(uint16_t& port, bool loopback_only) {
  Socket listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address = ipv4({htonl(loopback_only ? INADDR_LOOPBACK : INADDR_ANY)}, 0);
  socklen_t length = sizeof address;
  if (!listening.is_open() || bind(listening.descriptor(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(listening.descriptor(), 256) != 0 ||
      getsockname(listening.descriptor(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    fail_errno("cannot open a port for the other workers");
  }
  port = ntohs(address.sin_port);
  return listening;
}

Socket accept_one(const Socket& listening) {
  Socket accepted(accept4(listening.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  if (accepted.is_open()) set_no_delay(accepted);
  return accepted;
}

Socket connect_to(const std::string& address, uint16_t port, double seconds) {
  in_addr host = {};
  Socket connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (inet_pton(AF_INET, address.c_str(), &host) != 1 || !connection.is_open()) return Socket();
  const sockaddr_in place = ipv4(host, port);
  if (connect(connection.descriptor(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
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

std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return addresses;
  for (const ifaddrs* i = interfaces; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    if ((i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
    addresses.emplace_back(text);
  }
  freeifaddrs(interfaces);
  return addresses;
}

std::string network_identity() {
  std::string boot, network(64, ' ');
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  const ssize_t length = readlink("/proc/self/ns/net", network.data(), network.size());
  return boot.empty() || length <= 0 ? "" : boot + " " + network.substr(0, static_cast<size_t>(length));
}

}  // namespace verbund
