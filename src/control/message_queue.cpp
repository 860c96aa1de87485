#include "control/message_queue.h"

#include <utility>

namespace verbund {

bool MessageQueue::put(Message message) {
  uint64_t& dropped = dropped_[message.rank];
  if (message.bytes.size() > Message::kMostBytes || used_ + cost(message) > room_) {
    dropped += 1 + message.dropped_before;
    return false;
  }
  message.dropped_before += std::exchange(dropped, 0);
  used_ += cost(message);
  waiting_.push_back(std::move(message));
  return true;
}

std::optional<Message> MessageQueue::take() {
  if (waiting_.empty()) return std::nullopt;
  Message message = std::move(waiting_.front());
  waiting_.pop_front();
  used_ -= cost(message);
  return message;
}

}  // namespace verbund
