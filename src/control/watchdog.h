// SPDX-License-Identifier: Apache-2.0
// Watchdog reports the rank that everyone waits for. Every worker sends heartbeats to worker 0 several times a second,
// over the control channel, through the leader of its host: its step, its phase and its current operation. A worker
// that died, froze, is cut off or late (the straggler) is named with its host and step, first in warnings; after a
// deadline all workers end.
//
// Worker 0 judges them all. What comes through a leader can be missed only while the leader itself is heard, so a
// leader that froze is named, and not its children. A leader that sees the end of a child's connection tells worker 0.
// The others judge those above them alone: worker 0, and their leader, through which they would hear that all end.
//
// The control channel also carries telemetry to worker 0, and the workers measure its clock over it.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "config/workers_config.h"
#include "control/control_channel.h"
#include "control/stall.h"
#include "control/telemetry.h"

namespace verbund {

// An event that the watchdog reports.
struct WatchdogEvent {
  enum class Kind {
    kStall,    // a worker has been waited for longer than the warning limit
    kResumed,  // no worker is awaited any longer
    kLost,     // a worker has died, does not answer, or has been waited for longer than the deadline
    kFailed,   // a worker has failed and sent the reason
  };
  Kind kind = Kind::kStall;
  int worker = -1;  // the rank concerned; -1: no single one
  std::string message;
  bool last = false;  // the process ends after this
  int64_t step = 0;   // steps that the worker which reports has done

  // Its name in the run's history.
  const char* event() const {
    return kind == Kind::kStall     ? "stall"
           : kind == Kind::kResumed ? "goes_on"
           : kind == Kind::kLost    ? "lost_worker"
                                    : "fail";
  }
};

using WatchdogLog = std::function<void(const WatchdogEvent& event)>;

class Watchdog {
 public:
  // For a single worker: watches nobody.
  explicit Watchdog(const RunClock& clock);
  // Collective. Fails if worker 0 cannot be reached. `receiver`: worker 0's, for the messages of the others; it must
  // outlive the watchdog.
  Watchdog(Rendezvous& rendezvous, const std::vector<Worker>& workers, const RunClock& clock,
           TelemetryReceiver* receiver);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // The waiting times that lead to a warning and to the end of the run.
  void set_limits(const WorkersConfig& limits);
  // Gets all events, in addition to stderr.
  void set_log(WatchdogLog log);
  // Called before this process is ended, and given some seconds at most; {}: nothing.
  void set_abort(std::function<void()> abort);

  bool is_watching() const { return !workers_.empty(); }

  // Sets the phase of this worker. While it may block, the others wait for it as long as it is alive.
  void report_phase(int64_t step, const char* phase, bool may_block = false);
  void enter(const char* operation);
  void leave();

  // The sender of workers other than 0: for messages to worker 0, and its clock.
  TelemetrySender& telemetry() { return sender_; }
  const TelemetrySender& telemetry() const { return sender_; }

  // This worker has failed: all others end with this exit code. Worker 0 reports for all, so the others wait some
  // seconds for it to end them.
  void report_failure(const std::string& message, int exit_code);
  // Orderly shutdown, after a barrier: a worker that leaves from now on is not reported as lost.
  void announce_shutdown();

 private:
  struct Peer {
    Heartbeat heartbeat;     // the last one
    double heard = 0;        // when something came over its connection
    double followed = 0;     // seconds in which that happened without long gaps
    double seen = 0;         // `followed` of the neighbour through which the last heartbeat came
    double step_since = 0;   // when its step changed
    double entered_at = 0;   // when it was seen in another operation than before
    bool may_leave = false;  // it has announced its shutdown
    bool left = false;
  };

  // Called by the watchdog's thread.
  void run();
  void hear(size_t rank, const Heartbeat& heartbeat, std::span<const std::byte> attached);
  void answer(size_t rank, const Heartbeat& ping, double received);
  void lose(size_t rank, const std::string& how);
  void tell_gone(size_t rank, const std::string& how);
  double silence_of(size_t rank) const;
  void look_for_stalls();
  void report(WatchdogEvent event);
  [[noreturn]] void end(WatchdogEvent event, int exit_code);
  [[noreturn]] void leave_process(int exit_code);

  // Called by any thread.
  Heartbeat own_heartbeat(HeartbeatKind kind) const;
  int64_t own_step() const;
  void send_all(HeartbeatKind kind, const std::string& text, int exit_code);

  const std::vector<Worker> workers_;
  const size_t rank_;
  const RunClock clock_;
  TelemetryReceiver* const receiver_;
  ControlChannel channel_;
  TelemetrySender sender_;
  std::vector<Peer> peers_;  // by rank, of the thread; of those that ControlTree::hears
  double warned_at_ = 0;     // length of the stall at its last warning

  mutable std::mutex mutex_;  // guards the own state that follows
  Heartbeat own_;
  double entered_at_ = 0;
  double step_since_ = 0;  // when the own step changed
  WorkersConfig limits_;

  std::mutex logging_;  // apart from mutex_: writing the log does not block the computation
  WatchdogLog log_;
  std::function<void()> abort_;

  std::atomic<bool> stop_ = false, failing_ = false, leader_gone_ = false;
  std::thread thread_;
};

}  // namespace verbund
