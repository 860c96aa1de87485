// SPDX-License-Identifier: Apache-2.0
#include "control/control_channel.h"

#include <poll.h>

namespace verbund {
namespace {

constexpr int kPollMilliseconds = 100;
constexpr int kHeartbeatsInTurn = 64;  // of one worker, then the next one is read

}  // namespace

ControlChannel::ControlChannel(ControlSockets sockets) : run_(sockets.run) {
  for (Socket& socket : sockets.by_rank) peers_.push_back({std::move(socket), {}, HeartbeatReader(run_)});
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
  std::vector<pollfd> waiting;
  std::vector<size_t> ranks;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < peers_.size(); ++i) {
      if (!peers_[i].socket.is_open()) continue;
      const bool has_more = peers_[i].outgoing.unsent() > 0;
      waiting.push_back({peers_[i].socket.descriptor(), static_cast<short>(has_more ? POLLIN | POLLOUT : POLLIN), 0});
      ranks.push_back(i);
    }
  }
  poll(waiting.data(), waiting.size(), kPollMilliseconds);
  for (size_t i = 0; i < waiting.size(); ++i) {
    if ((waiting[i].revents & POLLOUT) != 0) unsent(ranks[i]);
    if ((waiting[i].revents & ~POLLOUT) != 0) read(ranks[i], hear);
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
