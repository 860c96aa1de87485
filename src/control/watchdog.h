// The workers' eyes on each other: a channel of its own beside the one of the gradients, on which
// every worker tells worker 0 several times a second that it lives, at which step it is and in
// which operation. So nobody waits in silence: a worker that died, froze, is cut off or late is
// named, with its host and step, first in warnings, and after a deadline all workers end.
//
// What workers have to tell worker 0 beside that travels on it as well, and they learn its clock.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "config/workers_config.h"
#include "control/control_channel.h"
#include "control/telemetry_receiver.h"
#include "control/telemetry_sender.h"
#include "control/rendezvous.h"
#include "control/run_clock.h"
#include "control/stall.h"
#include "control/watchdog_event.h"
#include "control/worker.h"

namespace verbund {

class Watchdog {
 public:
  // Nobody to watch, or to be watched by.
  explicit Watchdog(const RunClock& clock);
  // Made by all workers together. Fails if worker 0 cannot be reached. `receiver`: worker 0's, where the messages of
  // others go; it must stay.
  Watchdog(Rendezvous& rendezvous, const std::vector<Worker>& workers, const RunClock& clock, TelemetryReceiver* receiver);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // How long waiting is well, and how long it is endured.
  void set_limits(const WorkersConfig& limits);
  // Where warnings go, beside stderr.
  void set_log(WatchdogLog log);
  // Called before this process is ended, for some seconds at most; {}: nothing.
  void set_abort(std::function<void()> abort);

  bool is_watching() const { return !workers_.empty(); }

  // What this worker does. While it does what may take any time, others wait for it as long as it lives.
  void report_phase(int64_t step, const char* phase, bool may_block = false);
  void enter(const char* operation);
  void leave();

  // Of workers other than 0: for messages to it, and its clock.
  TelemetrySender& mail() { return sender_; }
  const TelemetrySender& mail() const { return sender_; }

  // This worker cannot go on: tells all others, which end with this exit code. Worker 0 speaks
  // for all, so the others wait some seconds for it to end them.
  void report_failure(const std::string& message, int exit_code);
  // The end in peace, after a barrier: whoever leaves from now on is not missed.
  void goodbye();

 private:
  struct Peer {
    Heartbeat heartbeat;             // the last one
    double heard = 0;        // when it came
    bool may_leave = false;  // it has said goodbye
    bool left = false;
  };

  // Of the watch's thread.
  void run();
  void tell_alive();
  void hear(size_t rank, const Heartbeat& heartbeat, std::span<const std::byte> attached);
  void answer(size_t rank, const Heartbeat& ping, double received);
  void lose(size_t rank, const std::string& how);
  void look_for_stalls();
  void say(const WatchdogEvent& notice);
  [[noreturn]] void end(const WatchdogEvent& notice, int exit_code);
  [[noreturn]] void leave_process(int exit_code);

  // Of any thread.
  Heartbeat own_heartbeat(HeartbeatKind kind) const;
  void tell_all(HeartbeatKind kind, const std::string& text, int exit_code);

  const std::vector<Worker> workers_;
  const size_t rank_;
  const RunClock clock_;
  TelemetryReceiver* const receiver_;
  ControlChannel channel_;
  TelemetrySender sender_;
  std::vector<Peer> peers_;  // by rank, the thread's; worker 0 hears all, the others hear worker 0
  double warned_at_ = 0;     // length of the stall that was last warned of

  mutable std::mutex mutex_;  // of the own state that follows
  Heartbeat own_;
  double entered_at_ = 0;
  WorkersConfig limits_;

  std::mutex logging_;  // while it writes, nobody waits who computes
  WatchdogLog log_;
  std::function<void()> abort_;

  std::atomic<bool> stop_ = false, failing_ = false, leader_gone_ = false;
  std::thread thread_;
};

}  // namespace verbund
