// SPDX-License-Identifier: Apache-2.0
#include "control/control_channel.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>

#include "core/error.h"

namespace verbund {
namespace {

constexpr int kPollMilliseconds = 100;
constexpr int kHeartbeatsInTurn = 64;  // of one worker, then the next one is read
constexpr size_t kWorkersInTurn = 64;  // that have sent something, then the others of them

}  // namespace

ControlChannel::ControlChannel(ControlSockets sockets) : run_(sockets.run) {
  if (sockets.by_rank.empty()) return;
  events_ = Socket(epoll_create1(EPOLL_CLOEXEC));
  if (!events_.is_open()) fail_errno("cannot wait for many workers at a time");
  for (Socket& socket : sockets.by_rank) {
    peers_.push_back({std::move(socket), {}, HeartbeatReader(run_), false});
    if (peers_.back().socket.is_open()) watch(peers_.size() - 1, EPOLL_CTL_ADD);
  }
}

// A socket is named to the kernel once, not in every listen(), so waiting for a thousand workers costs as much as
// reading those that have sent something.
void ControlChannel::watch(size_t rank, int operation) {
  const Peer& peer = peers_[rank];
  epoll_event event = {};
  event.events = peer.awaits_room ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u64 = rank;
  if (epoll_ctl(events_.descriptor(), operation, peer.socket.descriptor(), &event) != 0) {
    fail_errno("cannot wait for worker {}", rank);
  }
}

void ControlChannel::send(size_t rank, const Heartbeat& heartbeat, std::span<const std::byte> attached) {
  const std::lock_guard lock(mutex_);
  Peer& peer = peers_[rank];
  if (!peer.socket.is_open()) return;
  peer.outgoing.add(heartbeat, attached);
  peer.outgoing.send(peer.socket);
}

void ControlChannel::send_all(const Heartbeat& heartbeat, std::span<const std::byte> attached) {
  for (size_t rank = 0; rank < peers_.size(); ++rank) send(rank, heartbeat, attached);
}

size_t ControlChannel::unsent(size_t rank) {
  const std::lock_guard lock(mutex_);
  Peer& peer = peers_[rank];
  if (peer.socket.is_open()) peer.outgoing.send(peer.socket);
  return peer.outgoing.unsent();
}

void ControlChannel::listen(const Hear& hear) {
  {
    const std::lock_guard lock(mutex_);
    for (size_t rank = 0; rank < peers_.size(); ++rank) {
      Peer& peer = peers_[rank];
      const bool has_more = peer.outgoing.unsent() > 0;
      if (!peer.socket.is_open() || peer.awaits_room == has_more) continue;
      peer.awaits_room = has_more;
      watch(rank, EPOLL_CTL_MOD);
    }
  }
  std::array<epoll_event, kWorkersInTurn> ready;
  int count = 0;
  do {  // a worker that was frozen and goes on must first read what has come meanwhile
    count = epoll_wait(events_.descriptor(), ready.data(), ready.size(), kPollMilliseconds);
  } while (count < 0 && errno == EINTR);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<size_t>(i)];
    if ((event.events & EPOLLOUT) != 0) unsent(event.data.u64);
    if ((event.events & ~EPOLLOUT) != 0) read(event.data.u64, hear);
  }
}

void ControlChannel::read(size_t rank, const Hear& hear) {
  Peer& peer = peers_[rank];
  for (int i = 0; i < kHeartbeatsInTurn; ++i) {
    const Heard heard = peer.incoming.read(peer.socket);
    if (heard == Heard::kNothing) return;
    if (heard != Heard::kHeartbeat) {
      const std::lock_guard lock(mutex_);
      peer.socket.close();
    }
    hear(rank, heard, peer.incoming.heartbeat(), peer.incoming.attached());
    if (heard != Heard::kHeartbeat) return;
  }
}

}  // namespace verbund
