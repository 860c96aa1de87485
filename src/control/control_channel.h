// The watch's connections and what goes over them: pulses, to and from whoever is on the other side. Never waits to
// send: a worker that does not read must not make this one look silent, too.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "control/control_sockets.h"
#include "control/heartbeat_stream.h"

namespace verbund {

class ControlChannel {
 public:
  explicit ControlChannel(ControlSockets sockets);

  uint64_t run() const { return run_; }

  // For any thread. Nothing happens if that worker is gone. Pulses to one worker keep their order.
  void send(size_t rank, const Heartbeat& heartbeat, std::span<const std::byte> attached = {});
  void send_all(const Heartbeat& heartbeat, std::span<const std::byte> attached = {});
  // What could not leave yet, after another attempt, in bytes.
  size_t unsent(size_t rank);

  // Of one thread: waits a moment for any of the others, and tells of each heartbeat (Heard::kPulse) and of each worker
  // that does not speak any more; its connection is closed then.
  using Hear = std::function<void(size_t rank, Heard heard, const Heartbeat& heartbeat, std::span<const std::byte> attached)>;
  void listen(const Hear& hear);

 private:
  struct Peer {
    Socket socket;
    PulseWriter outgoing;
    PulseReader incoming;
  };

  void read(size_t rank, const Hear& hear);

  uint64_t run_;
  std::vector<Peer> peers_;  // by rank
  std::mutex mutex_;         // of their sockets being open, and of what is outgoing
};

}  // namespace verbund
