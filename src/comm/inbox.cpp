#include "comm/inbox.h"

#include <chrono>

#include "core/log.h"

namespace verbund {

Inbox::~Inbox() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool Inbox::put(Message message) {
  const std::lock_guard lock(mutex_);
  if (!queue_.put(std::move(message))) return false;
  ++taken_in_;
  changed_.notify_all();
  return true;
}

void Inbox::set_receiver(Receiver receiver) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&, before = taken_in_] { return !receiver_ || received_ >= before; });
  changing_ = true;
  changed_.wait(lock, [&] { return !receiving_; });
  receiver_ = std::move(receiver);
  changing_ = false;
  if (receiver_ && !thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

bool Inbox::drain(double seconds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [&, before = taken_in_] { return !receiver_ || received_ >= before; });
}

void Inbox::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || (receiver_ && !changing_ && !queue_.is_empty()); });
    if (stop_) return;
    const Message message = *queue_.take();
    receiving_ = true;
    lock.unlock();
    receive(message);
    lock.lock();
    receiving_ = false;
    ++received_;
    changed_.notify_all();
  }
}

// The receiver stays as it is while it is called.
void Inbox::receive(const Message& message) {
  try {
    receiver_(message.rank, message.bytes, message.dropped_before);
  } catch (const std::exception& error) {
    warn("what the workers tell worker 0 is not kept from here on: {}", error.what());
    const std::lock_guard lock(mutex_);
    receiver_ = [](int, std::span<const std::byte>, uint64_t) {};
  }
}

}  // namespace verbund
