// Where worker 0 has the messages of all workers. A thread of its own hands them to the handler, one after the other,
// so that a slow disk holds up neither a step nor the signs of life. Until there is a handler, and while it is slow,
// messages wait, as many as there is room for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

#include "control/message_queue.h"

namespace verbund {

// `dropped_before`: messages of this worker that were lost since its last one. It must not call the workers. One that
// throws is not called again, and a warning says why.
using TelemetryHandler = std::function<void(int rank, std::span<const std::byte> message, uint64_t dropped_before)>;

class TelemetryReceiver {
 public:
  explicit TelemetryReceiver(size_t room = MessageQueue::kRoom) : queue_(room) {}
  ~TelemetryReceiver();
  TelemetryReceiver(const TelemetryReceiver&) = delete;
  TelemetryReceiver& operator=(const TelemetryReceiver&) = delete;

  // Never waits. False if the message was dropped.
  bool put(Message message);
  // What has come before goes to the handler that was there before; it is not called any more afterwards.
  void set_handler(TelemetryHandler handler);
  // Waits until what has come so far has been received. False if that takes longer; without a handler nothing is
  // waited for.
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
  bool changing_ = false;   // another handler comes
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace verbund
