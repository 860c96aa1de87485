// SPDX-License-Identifier: Apache-2.0
// ControlChannel carries heartbeats between the workers, along their ControlTree: leaders pass on what worker 0 and the
// other workers of their hosts tell each other. Sending never blocks, so a worker that does not read cannot silence the
// workers that send to it.
//
// A leader keeps the kAlive heartbeats of its children until its own is sent, so that worker 0 wakes up for a host and
// not for each worker; all else it passes on at once. While its connection to worker 0 is full, it does not read from
// its children: they notice, and its memory stays small.
#pragma once

#include <sys/epoll.h>

#include <functional>
#include <mutex>
#include <vector>

#include "control/heartbeat_stream.h"
#include "control/rendezvous.h"

namespace verbund {

class ControlChannel {
 public:
  explicit ControlChannel(ControlSockets sockets);

  uint64_t run() const { return run_; }
  const ControlTree& tree() const { return tree_; }

  // For any thread. Nothing happens if that worker is gone. Heartbeats to one worker keep their order. A kAlive is
  // dropped if the connection is full: who has not received the ones before does not need another one.
  void send(size_t rank, const Heartbeat& heartbeat, std::span<const std::byte> attached = {});
  // Worker 0: to all workers. The others: to worker 0 and to their children.
  void send_all(const Heartbeat& heartbeat, std::span<const std::byte> attached = {});
  // The bytes that wait in this worker to be sent towards that one.
  size_t unsent(size_t rank);

  // For one thread: waits a moment for any of the neighbours, and calls `hear` for each heartbeat (Heard::kHeartbeat),
  // also for those that only pass through this worker, and for each neighbour that is gone or sends malformed bytes;
  // its connection is closed then.
  using Hear =
      std::function<void(size_t rank, Heard heard, const Heartbeat& heartbeat, std::span<const std::byte> attached)>;
  void listen(const Hear& hear);
  // For the same thread, at the end: a leader passes on what its children have sent.
  void finish(const Hear& hear, double seconds);

 private:
  struct Peer {
    Socket socket;
    HeartbeatWriter outgoing;
    HeartbeatReader incoming;
    uint32_t awaited = 0;  // the events that the kernel is to report
  };

  bool is_child(size_t neighbour) const { return tree_.parent(neighbour) == rank_; }
  Peer& parent() { return peers_[tree_.parent(rank_)]; }
  bool relays() const { return rank_ != 0 && !tree_.children(rank_).empty(); }

  void add(size_t neighbour, Heartbeat heartbeat, int64_t to, std::span<const std::byte> attached);  // needs the lock
  void send_to(size_t neighbour, const Heartbeat& heartbeat, int64_t to, std::span<const std::byte> attached);
  bool is_full();
  void flush();
  void watch_neighbours();
  bool listen_once(const Hear& hear, int milliseconds);
  void read(size_t neighbour, const Hear& hear);
  bool may_come_from(size_t neighbour, const Heartbeat& heartbeat) const;
  void pass_on(size_t neighbour, const Heartbeat& heartbeat, std::span<const std::byte> attached);

  const uint64_t run_;
  const size_t rank_;
  const ControlTree tree_;
  Socket events_;  // of epoll, for those of all neighbours
  std::vector<size_t> neighbours_;
  std::vector<Peer> peers_;         // by rank
  std::vector<epoll_event> ready_;  // room for all neighbours: after a pause, all of them are heard at once
  size_t turn_ = 0;                 // who is read first
  bool is_urgent_ = false;          // something to be passed on to worker 0 must not wait
  std::mutex mutex_;                // guards whether sockets are open, and what is outgoing
};

}  // namespace verbund
