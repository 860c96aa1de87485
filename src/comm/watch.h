// The workers' eyes on each other: a channel of its own beside the one of the gradients, on which
// every worker tells worker 0 several times a second that it lives, at which step it is and in
// which operation. So nobody waits in silence: a worker that died, froze, is cut off or late is
// named, with its host and step, first in warnings, and after a deadline all workers end.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/communicator.h"
#include "comm/pulse.h"
#include "comm/sockets.h"
#include "comm/worker.h"

namespace verbund {

// `last`: the process ends after this line.
using WatchLog = std::function<void(const std::string& line, bool last)>;

class Watch {
 public:
  // Made by all workers together. Fails if worker 0 cannot be reached.
  Watch(Communicator& communicator, const std::vector<Worker>& workers);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // How long waiting is well, and how long it is endured.
  void set_limits(const WorkersConfig& limits);
  // Where warnings go, beside stderr.
  void set_log(WatchLog log);

  // What this worker does. While it does what may take any time, others wait for it as long as it lives.
  void at(int64_t step, const char* doing, bool any_time);
  void enter(const char* operation);
  void leave();

  // This worker cannot go on: tells all others, which end with this exit code. Worker 0 speaks
  // for all, so the others wait some seconds for it to end them.
  void report_failure(const std::string& message, int exit_code);
  // The end in peace, after a barrier: whoever leaves from now on is not missed.
  void goodbye();

 private:
  struct Peer {
    Socket socket;
    std::vector<std::byte> unsent;  // the rest of pulses for it
    Pulse pulse;                    // the last one
    size_t received = 0;            // bytes of the next one, in `incoming`
    Pulse incoming;
    double heard = 0;        // when the last one came
    bool may_leave = false;  // it has said goodbye
    bool left = false;
  };

  void connect(Communicator& communicator);
  static void send(Peer& peer, const Pulse& pulse);
  void run();
  void read(size_t rank);
  void hear(size_t rank);
  void look_for_stalls();
  void tell_all(PulseKind kind, const std::string& message, int exit_code);
  Pulse own_pulse(PulseKind kind) const;
  [[noreturn]] void end(const std::string& message, int exit_code);
  void say(const std::string& message);

  const std::vector<Worker> workers_;
  const size_t rank_;
  std::vector<Peer> peers_;  // by rank; worker 0 hears all, the others hear worker 0

  mutable std::mutex mutex_;  // of the own state that follows
  Pulse own_;
  double entered_at_ = 0;
  WorkersConfig limits_;
  WatchLog log_;

  std::mutex sending_;  // of sockets, and what is unsent to them
  std::atomic<bool> stop_ = false, failing_ = false, leader_gone_ = false;
  double warned_at_ = 0;  // length of the stall that was last warned of
  std::thread thread_;
};

}  // namespace verbund
