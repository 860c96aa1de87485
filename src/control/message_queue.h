// Messages of workers to worker 0 that wait to be sent or to be received. There is room for so many bytes; what comes
// when it is full is dropped and counted, and the next message of the same worker tells how many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace verbund {

struct Message {
  // No message is larger.
  static constexpr size_t kMostBytes = 64 * 1024;

  int rank = 0;  // of whom
  std::vector<std::byte> bytes;
  uint64_t dropped_before = 0;  // messages of the same worker, since the last one that was not
};

// Of one thread at a time.
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

}  // namespace verbund
