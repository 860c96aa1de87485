#include "control/telemetry_receiver.h"

#include <chrono>

#include "core/log.h"

namespace verbund {

TelemetryReceiver::~TelemetryReceiver() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool TelemetryReceiver::put(Message message) {
  const std::lock_guard lock(mutex_);
  if (!queue_.put(std::move(message))) return false;
  ++taken_in_;
  changed_.notify_all();
  return true;
}

void TelemetryReceiver::set_handler(TelemetryHandler handler) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&, before = taken_in_] { return !handler_ || received_ >= before; });
  changing_ = true;
  changed_.wait(lock, [&] { return !receiving_; });
  handler_ = std::move(handler);
  changing_ = false;
  if (handler_ && !thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

bool TelemetryReceiver::drain(double seconds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [&, before = taken_in_] { return !handler_ || received_ >= before; });
}

void TelemetryReceiver::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || (handler_ && !changing_ && !queue_.is_empty()); });
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

// The handler stays as it is while it is called.
void TelemetryReceiver::receive(const Message& message) {
  try {
    handler_(message.rank, message.bytes, message.dropped_before);
  } catch (const std::exception& error) {
    warn("what the workers tell worker 0 is not kept from here on: {}", error.what());
    const std::lock_guard lock(mutex_);
    handler_ = [](int, std::span<const std::byte>, uint64_t) {};
  }
}

}  // namespace verbund
