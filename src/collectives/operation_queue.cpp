#include "collectives/operation_queue.h"

namespace verbund {

OperationQueue::OperationQueue() : thread_([this] { run(); }) {}

OperationQueue::~OperationQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

std::future<void> OperationQueue::add(std::function<void()> operation) {
  std::packaged_task<void()> task(std::move(operation));
  std::future<void> done = task.get_future();
  const std::lock_guard lock(mutex_);
  operations_.push_back(std::move(task));
  changed_.notify_all();
  return done;
}

void OperationQueue::run() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || !operations_.empty(); });
    if (operations_.empty()) return;
    std::packaged_task<void()> operation = std::move(operations_.front());
    operations_.pop_front();
    lock.unlock();
    operation();
  }
}

}  // namespace verbund
