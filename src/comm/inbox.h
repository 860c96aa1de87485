// Where worker 0 has the messages of all workers. A thread of its own hands them to the receiver, one after the other,
// so that a slow disk holds up neither a step nor the signs of life. Until there is a receiver, and while it is slow,
// messages wait, as many as there is room for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

#include "comm/message_queue.h"

namespace verbund {

// `dropped_before`: messages of this worker that were lost since its last one. It must not call the workers. One that
// throws is not called again, and a warning says why.
using Receiver = std::function<void(int rank, std::span<const std::byte> message, uint64_t dropped_before)>;

class Inbox {
 public:
  explicit Inbox(size_t room = MessageQueue::kRoom) : queue_(room) {}
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Never waits. False if the message was dropped.
  bool put(Message message);
  // What has come before goes to the receiver that was there before; it is not called any more afterwards.
  void set_receiver(Receiver receiver);
  // Waits until what has come so far has been received. False if that takes longer; without a receiver nothing is
  // waited for.
  bool drain(double seconds);

 private:
  void run();
  void receive(const Message& message);

  std::mutex mutex_;
  std::condition_variable changed_;
  MessageQueue queue_;
  uint64_t taken_in_ = 0, received_ = 0;  // messages
  Receiver receiver_;
  bool receiving_ = false;  // the receiver is being called
  bool changing_ = false;   // another receiver comes
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace verbund
