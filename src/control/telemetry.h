// SPDX-License-Identifier: Apache-2.0
// Telemetry: the messages of all workers to worker 0, such as records of their steps. TelemetrySender sends them over
// the control channel and also measures worker 0's clock; TelemetryReceiver hands them to worker 0's handler. Neither
// ever blocks the thread that posts a message: a MessageQueue holds a limited number of bytes, and what does not fit is
// dropped and counted.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "control/clock_estimator.h"
#include "control/control_channel.h"

namespace verbund {

struct Message {
  static constexpr size_t kMaxBytes = kMaxAttached;  // no message is larger

  int rank = 0;  // the sender
  std::vector<std::byte> bytes;
  uint64_t dropped_before = 0;  // messages of the same worker that were dropped since its last one
};

// Messages that wait to be sent or handled. One thread at a time.
class MessageQueue {
 public:
  static constexpr size_t kRoom = 4 * 1024 * 1024;

  explicit MessageQueue(size_t room = kRoom) : room_(room) {}

  // False if it was dropped.
  bool put(Message message);
  std::optional<Message> take();
  bool is_empty() const { return waiting_.empty(); }

 private:
  static size_t cost(const Message& message) { return sizeof message + message.bytes.size(); }

  size_t room_;
  size_t used_ = 0;
  std::deque<Message> waiting_;
  std::map<int, uint64_t> dropped_;  // by rank
};

// The side of the workers other than 0.
class TelemetrySender {
 public:
  // `own_heartbeat`: the worker's current state; for any thread.
  using OwnHeartbeat = std::function<Heartbeat(HeartbeatKind)>;
  TelemetrySender(ControlChannel& channel, const RunClock& clock, OwnHeartbeat own_heartbeat)
      : channel_(channel), clock_(clock), own_heartbeat_(std::move(own_heartbeat)) {}

  // False if the message was dropped.
  bool post(Message message);
  // Sends as many messages as the network accepts. True if none is left.
  bool send();
  // Waits until worker 0 has received what was posted before. False after so many seconds.
  bool flush(double seconds);

  // Asks worker 0 for its time, and waits for some answers.
  void set_clock(double seconds);
  // Asks again, if the last answer has arrived.
  void ask_again();
  void hear_answer(const Heartbeat& answer, double arrived);
  // The difference to worker 0's clock.
  ClockOffset offset() const;

  // Worker 0 is gone: waiting for it ends.
  void close() { closed_ = true; }

 private:
  uint64_t ping();
  bool await_answer(uint64_t ping, double end) const;

  ControlChannel& channel_;
  const RunClock clock_;
  const OwnHeartbeat own_heartbeat_;
  std::mutex sending_;  // keeps messages in order

  mutable std::mutex mutex_;  // of the next two
  MessageQueue posted_;
  ClockEstimator estimator_;

  std::atomic<uint64_t> pings_ = 0, answered_ = 0;  // the numbers of the newest ones
  std::atomic<bool> closed_ = false;
};

// `dropped_before`: messages of this worker that were lost since its last one. A handler must not use the workers. One
// that throws is not called again, and a warning names the reason.
using TelemetryHandler = std::function<void(int rank, std::span<const std::byte> message, uint64_t dropped_before)>;

// Worker 0's side. A thread of its own calls the handler, so a slow disk delays neither a step nor the heartbeats.
// Until there is a handler, and while it is busy, messages wait in the queue.
class TelemetryReceiver {
 public:
  explicit TelemetryReceiver(size_t room = MessageQueue::kRoom) : queue_(room) {}
  ~TelemetryReceiver();
  TelemetryReceiver(const TelemetryReceiver&) = delete;
  TelemetryReceiver& operator=(const TelemetryReceiver&) = delete;

  // Never blocks. False if the message was dropped.
  bool put(Message message);
  // The previous handler gets all messages that have arrived so far, and is not called after this returns.
  void set_handler(TelemetryHandler handler);
  // Waits until all messages so far have been handled. False after so many seconds. Without a handler it returns at
  // once.
  bool drain(double seconds);

 private:
  void run();
  void receive(const Message& message);

  std::mutex mutex_;
  std::condition_variable changed_;
  MessageQueue queue_;
  uint64_t taken_in_ = 0, received_ = 0;  // messages
  TelemetryHandler handler_;
  bool receiving_ = false;  // the handler is being called
  bool changing_ = false;   // the handler is being replaced
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace verbund
