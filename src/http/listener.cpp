// SPDX-License-Identifier: Apache-2.0
#include "http/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "core/error.h"

namespace verbund {

int open_listener(const std::string& host, int& port) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int problem = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found)) {
    fail_usage("--host {} is not an address of this machine: {}", host, ::gai_strerror(problem));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
  const int listener = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) fail_errno("cannot open a socket for {}", host);
  const int on = 1;  // a port is free again as soon as its server has ended
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  constexpr int kBacklog = 512;
  if (::bind(listener, found->ai_addr, found->ai_addrlen) != 0 || ::listen(listener, kBacklog) != 0) {
    const int problem = errno;
    ::close(listener);
    if (problem == EADDRINUSE) {
      fail("another program listens at {}, port {}: stop it, or choose another port: --port N (0: any free one)", host,
           port);
    }
    if (problem == EACCES) fail("only root may listen at port {}: choose one from 1024 on: --port N", port);
    if (problem == EADDRNOTAVAIL) fail("{} is not an address of this machine: list them with ip address", host);
    errno = problem;
    fail_errno("cannot listen at {}, port {}", host, port);
  }
  sockaddr_storage place = {};
  socklen_t size = sizeof place;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&place), &size);
  // Both families have the port at the same place.
  port = ntohs(reinterpret_cast<const sockaddr_in*>(&place)->sin_port);
  return listener;
}

}  // namespace verbund
