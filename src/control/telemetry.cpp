// SPDX-License-Identifier: Apache-2.0
#include "control/telemetry.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/elapsed.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr int kFirstPings = 8;
constexpr size_t kMaxUnsent = 64 * 1024;  // bytes of messages outside the queue; heartbeats are sent right after them
constexpr int kMessagesInTurn = 64;

}  // namespace

bool MessageQueue::put(Message message) {
  uint64_t& dropped = dropped_[message.rank];
  if (message.bytes.size() > Message::kMaxBytes || used_ + cost(message) > room_) {
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

bool TelemetrySender::post(Message message) {
  const std::lock_guard lock(mutex_);
  return posted_.put(std::move(message));
}

bool TelemetrySender::send() {
  const std::lock_guard order(sending_);
  for (int i = 0; i < kMessagesInTurn && channel_.unsent(0) < kMaxUnsent; ++i) {
    std::optional<Message> message;
    {
      const std::lock_guard lock(mutex_);
      message = posted_.take();
    }
    if (!message) return true;
    Heartbeat heartbeat = own_heartbeat_(HeartbeatKind::kMessage);
    heartbeat.dropped = message->dropped_before;
    channel_.send(0, heartbeat, message->bytes);
  }
  return false;
}

// The answer to a ping shows that all that was sent before it has arrived.
bool TelemetrySender::flush(double seconds) {
  const double end = monotonic_seconds() + seconds;
  for (; !send(); std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    if (monotonic_seconds() >= end || closed_) return false;
  }
  return await_answer(ping(), end);
}

void TelemetrySender::set_clock(double seconds) {
  const double end = monotonic_seconds() + seconds;
  for (int i = 0; i < kFirstPings && await_answer(ping(), end); ++i) {
  }
}

void TelemetrySender::ask_again() {
  if (answered_ == pings_) ping();
}

uint64_t TelemetrySender::ping() {
  Heartbeat heartbeat = own_heartbeat_(HeartbeatKind::kPing);
  heartbeat.ping = ++pings_;
  heartbeat.sent = clock_.now();
  channel_.send(0, heartbeat);
  return heartbeat.ping;
}

bool TelemetrySender::await_answer(uint64_t ping, double end) const {
  for (; answered_ < ping; std::this_thread::sleep_for(std::chrono::microseconds(500))) {
    if (monotonic_seconds() >= end || closed_) return false;
  }
  return true;
}

void TelemetrySender::hear_answer(const Heartbeat& answer, double arrived) {
  const std::lock_guard lock(mutex_);
  estimator_.add({answer.sent, answer.received, answer.replied, arrived});
  answered_ = std::max<uint64_t>(answered_, answer.ping);
}

ClockOffset TelemetrySender::offset() const {
  const std::lock_guard lock(mutex_);
  return estimator_.at(clock_.now());
}

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

// The handler is not replaced while it is called.
void TelemetryReceiver::receive(const Message& message) {
  try {
    handler_(message.rank, message.bytes, message.dropped_before);
  } catch (const std::exception& error) {
    warn("messages of the workers are not recorded from here on: {}", error.what());
    const std::lock_guard lock(mutex_);
    handler_ = [](int, std::span<const std::byte>, uint64_t) {};
  }
}

}  // namespace verbund
