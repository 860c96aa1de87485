// A thread that does one thing after the other, in the order in which they are asked for, while others go on computing.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace verbund {

class OperationQueue {
 public:
  OperationQueue();
  // Does what has been asked for.
  ~OperationQueue();
  OperationQueue(const OperationQueue&) = delete;
  OperationQueue& operator=(const OperationQueue&) = delete;

  // The future is ready when it is done, and has what it threw. What it works on must stay.
  std::future<void> add(std::function<void()> operation);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> operations_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace verbund
