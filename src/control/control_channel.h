// SPDX-License-Identifier: Apache-2.0
// ControlChannel carries heartbeats between worker 0 and the others. Sending never blocks, so a worker that does not
// read cannot silence the workers that send to it.
#pragma once

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

  // For any thread. Nothing happens if that worker is gone. Heartbeats to one worker keep their order.
  void send(size_t rank, const Heartbeat& heartbeat, std::span<const std::byte> attached = {});
  void send_all(const Heartbeat& heartbeat, std::span<const std::byte> attached = {});
  // Tries again to send what could not be sent yet. Returns the bytes that are left.
  size_t unsent(size_t rank);

  // For one thread: waits a moment for any of the others, and calls `hear` for each heartbeat (Heard::kHeartbeat) and
  // for each worker that is gone or sends malformed bytes; its connection is closed then.
  using Hear =
      std::function<void(size_t rank, Heard heard, const Heartbeat& heartbeat, std::span<const std::byte> attached)>;
  void listen(const Hear& hear);

 private:
  struct Peer {
    Socket socket;
    HeartbeatWriter outgoing;
    HeartbeatReader incoming;
    bool awaits_room = false;  // to send more
  };

  void watch(size_t rank, int operation);
  void read(size_t rank, const Hear& hear);

  uint64_t run_;
  Socket events_;            // of epoll, for those of all peers
  std::vector<Peer> peers_;  // by rank
  std::mutex mutex_;         // guards whether sockets are open, and what is outgoing
};

}  // namespace verbund
