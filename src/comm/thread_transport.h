// Threads of one process as workers: for tests, and wherever processes are not worth it.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/transport.h"

namespace verbund {

// What the threads share.
class ThreadWorld {
 public:
  explicit ThreadWorld(int size) : size_(size), boxes_(static_cast<size_t>(size * size)) {}

  // Of one thread; the world must outlive it.
  std::unique_ptr<Transport> transport(int rank);
  // One of the threads cannot go on: whoever waits fails.
  void abandon();

 private:
  class End;
  using Bytes = std::vector<std::byte>;

  std::deque<Bytes>& box(int from, int to) {
    return boxes_[static_cast<size_t>(from) * static_cast<size_t>(size_) + static_cast<size_t>(to)];
  }

  int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool abandoned_ = false;
  std::vector<std::deque<Bytes>> boxes_;  // [from, to]
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
};

}  // namespace verbund
