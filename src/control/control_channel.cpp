// SPDX-License-Identifier: Apache-2.0
#include "control/control_channel.h"

#include <algorithm>
#include <cerrno>

#include "core/elapsed.h"
#include "core/error.h"

namespace verbund {
namespace {

constexpr int kPollMilliseconds = 100;
constexpr int kHeartbeatsInTurn = 64;       // of one neighbour, then the next one is read
constexpr size_t kMaxPassedOn = 32 * 1024;  // unsent bytes with which a leader still reads from its children

}  // namespace

ControlChannel::ControlChannel(ControlSockets sockets)
    : run_(sockets.run), rank_(sockets.rank), tree_(std::move(sockets.tree)) {
  if (sockets.by_rank.empty()) return;
  events_ = Socket(epoll_create1(EPOLL_CLOEXEC));
  if (!events_.is_open()) fail_errno("cannot wait for many workers at a time");
  for (Socket& socket : sockets.by_rank) {
    peers_.push_back({std::move(socket), {}, HeartbeatReader(run_), 0});
    if (peers_.back().socket.is_open()) neighbours_.push_back(peers_.size() - 1);
  }
  ready_.resize(std::max<size_t>(1, neighbours_.size()));
}

void ControlChannel::add(size_t neighbour, Heartbeat heartbeat, int64_t to, std::span<const std::byte> attached) {
  Peer& peer = peers_[neighbour];
  if (!peer.socket.is_open() || (heartbeat.kind == HeartbeatKind::kAlive && peer.outgoing.is_blocked())) return;
  heartbeat.to = to;
  peer.outgoing.add(heartbeat, attached);
}

void ControlChannel::send_to(size_t neighbour, const Heartbeat& heartbeat, int64_t to,
                             std::span<const std::byte> attached) {
  const std::lock_guard lock(mutex_);
  add(neighbour, heartbeat, to, attached);
  Peer& peer = peers_[neighbour];
  if (peer.socket.is_open()) peer.outgoing.send(peer.socket);
}

void ControlChannel::send(size_t rank, const Heartbeat& heartbeat, std::span<const std::byte> attached) {
  send_to(tree_.next_hop(rank_, rank), heartbeat, static_cast<int64_t>(rank), attached);
}

void ControlChannel::send_all(const Heartbeat& heartbeat, std::span<const std::byte> attached) {
  for (const size_t neighbour : neighbours_) {
    send_to(neighbour, heartbeat, is_child(neighbour) ? kToAll : 0, attached);
  }
}

size_t ControlChannel::unsent(size_t rank) {
  const std::lock_guard lock(mutex_);
  Peer& peer = peers_[tree_.next_hop(rank_, rank)];
  if (peer.socket.is_open() && peer.outgoing.is_blocked()) peer.outgoing.send(peer.socket);
  return peer.outgoing.unsent();
}

// A leader that has so much to send that it must not read from its children.
bool ControlChannel::is_full() {
  if (!relays()) return false;
  const std::lock_guard lock(mutex_);
  Peer& up = parent();
  if (up.outgoing.unsent() > kMaxPassedOn && up.socket.is_open()) up.outgoing.send(up.socket);
  return up.outgoing.unsent() > kMaxPassedOn;
}

void ControlChannel::flush() {
  const std::lock_guard lock(mutex_);
  if (Peer& up = parent(); up.socket.is_open()) up.outgoing.send(up.socket);
  is_urgent_ = false;
}

// A socket is named to the kernel once, not in every listen(), so waiting for a thousand workers costs as much as
// reading those that have sent something. Those that are not read are not named at all: the kernel would report again
// and again that one of them has closed the connection.
void ControlChannel::watch_neighbours() {
  const bool reads_children = !is_full();
  const std::lock_guard lock(mutex_);
  for (const size_t neighbour : neighbours_) {
    Peer& peer = peers_[neighbour];
    if (!peer.socket.is_open()) continue;
    uint32_t awaited = peer.outgoing.is_blocked() ? EPOLLIN | EPOLLOUT : EPOLLIN;
    if (is_child(neighbour) && !reads_children) awaited = 0;
    if (awaited == peer.awaited) continue;
    const int operation = awaited == 0 ? EPOLL_CTL_DEL : peer.awaited == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    epoll_event event = {};
    event.events = awaited;
    event.data.u64 = neighbour;
    if (epoll_ctl(events_.descriptor(), operation, peer.socket.descriptor(), &event) != 0) {
      fail_errno("cannot wait for worker {}", neighbour);
    }
    peer.awaited = awaited;
  }
}

void ControlChannel::listen(const Hear& hear) {
  const bool was_full = is_full();
  listen_once(hear, kPollMilliseconds);
  if (was_full && !is_full()) listen_once(hear, 0);  // the children have waited, so they are first
  if (is_urgent_) flush();
}

void ControlChannel::finish(const Hear& hear, double seconds) {
  if (!relays()) return;
  for (const double end = monotonic_seconds() + seconds; monotonic_seconds() < end;) {
    const bool has_heard = listen_once(hear, 1);
    flush();
    if (!has_heard && unsent(0) == 0) return;
  }
}

// True if there was something to do.
bool ControlChannel::listen_once(const Hear& hear, int milliseconds) {
  watch_neighbours();
  int count = 0;
  do {  // a worker that was frozen and goes on must first read what has come meanwhile
    count = epoll_wait(events_.descriptor(), ready_.data(), static_cast<int>(ready_.size()), milliseconds);
  } while (count < 0 && errno == EINTR);
  const size_t first = turn_++;  // not always the same one: what a leader reads may fill its connection
  for (size_t i = 0; i < static_cast<size_t>(std::max(0, count)); ++i) {
    const epoll_event& event = ready_[(first + i) % static_cast<size_t>(count)];
    if ((event.events & EPOLLOUT) != 0) unsent(event.data.u64);
    if ((event.events & ~EPOLLOUT) != 0) read(event.data.u64, hear);
  }
  return count > 0;
}

void ControlChannel::read(size_t neighbour, const Hear& hear) {
  Peer& peer = peers_[neighbour];
  for (int i = 0; i < kHeartbeatsInTurn; ++i) {
    if (is_child(neighbour) && is_full()) return;
    Heard heard = peer.incoming.read(peer.socket);
    if (heard == Heard::kNothing) return;
    const Heartbeat& heartbeat = peer.incoming.heartbeat();
    if (heard == Heard::kHeartbeat && !may_come_from(neighbour, heartbeat)) heard = Heard::kMalformed;
    if (heard != Heard::kHeartbeat) {
      {
        const std::lock_guard lock(mutex_);
        peer.socket.close();
        peer.outgoing = HeartbeatWriter();
      }
      return hear(neighbour, heard, heartbeat, peer.incoming.attached());
    }
    pass_on(neighbour, heartbeat, peer.incoming.attached());
    hear(static_cast<size_t>(heartbeat.rank), heard, heartbeat, peer.incoming.attached());
  }
}

// Accept a heartbeat only from the neighbour that leads to its sender, and only for this worker or a rank that it
// relays to.
bool ControlChannel::may_come_from(size_t neighbour, const Heartbeat& heartbeat) const {
  const auto about = static_cast<size_t>(heartbeat.rank);  // a negative one is too large
  if (about >= tree_.size() || !tree_.hears(rank_, about) || tree_.next_hop(rank_, about) != neighbour) return false;
  if (heartbeat.kind == HeartbeatKind::kGone && about == neighbour) return false;  // and yet it speaks
  if (is_child(neighbour)) return heartbeat.to == 0;
  if (heartbeat.to == kToAll) return true;
  const auto to = static_cast<size_t>(heartbeat.to);
  return to < tree_.size() && (to == rank_ || tree_.parent(to) == rank_);
}

void ControlChannel::pass_on(size_t neighbour, const Heartbeat& heartbeat, std::span<const std::byte> attached) {
  if (!relays() || heartbeat.to == static_cast<int64_t>(rank_)) return;
  if (is_child(neighbour)) {
    const std::lock_guard lock(mutex_);
    add(tree_.parent(rank_), heartbeat, heartbeat.to, attached);
    is_urgent_ = is_urgent_ || heartbeat.kind != HeartbeatKind::kAlive;
    return;
  }
  for (const size_t child : tree_.children(rank_)) {
    const auto to = static_cast<int64_t>(child);
    if (heartbeat.to == kToAll || heartbeat.to == to) send_to(child, heartbeat, to, attached);
  }
}

}  // namespace verbund
