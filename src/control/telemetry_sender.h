// What another worker has to tell worker 0 beside its signs of life, and what it asks: messages, and the time. Both go
// over the control channel and never hold up whoever posts.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "control/clock_estimator.h"
#include "control/control_channel.h"
#include "control/message_queue.h"
#include "control/run_clock.h"

namespace verbund {

class TelemetrySender {
 public:
  // `own_heartbeat`: what the worker does now; for any thread.
  using OwnPulse = std::function<Heartbeat(HeartbeatKind)>;
  TelemetrySender(ControlChannel& channel, const RunClock& clock, OwnPulse own_heartbeat)
      : channel_(channel), clock_(clock), own_pulse_(std::move(own_heartbeat)) {}

  // False if it was dropped.
  bool post(Message message);
  // As many messages as the network takes. True if none is left.
  bool send();
  // Waits until worker 0 has what was posted before. False if that takes longer.
  bool flush(double seconds);

  // Asks for the time, and waits for some answers.
  void set_clock(double seconds);
  // Asks again, if the last answer has come.
  void ask_again();
  void hear_answer(const Heartbeat& answer, double arrived);
  // What to add to the own clock to have worker 0's.
  ClockOffset offset() const;

  // Nobody answers any more.
  void close() { closed_ = true; }

 private:
  uint64_t ping();
  bool await_answer(uint64_t ping, double end) const;

  ControlChannel& channel_;
  const RunClock clock_;
  const OwnPulse own_pulse_;
  std::mutex sending_;  // messages keep their order

  mutable std::mutex mutex_;  // of these two
  MessageQueue posted_;
  ClockEstimator estimator_;

  std::atomic<uint64_t> pings_ = 0, answered_ = 0;  // the numbers of the newest ones
  std::atomic<bool> closed_ = false;
};

}  // namespace verbund
