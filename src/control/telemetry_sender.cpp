#include "control/telemetry_sender.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/elapsed.h"

namespace verbund {
namespace {

constexpr int kFirstPings = 8;
constexpr size_t kMostUnsent = 64 * 1024;  // of messages that have left the queue; signs of life are right after them
constexpr int kMessagesInTurn = 64;


}  // namespace

bool TelemetrySender::post(Message message) {
  const std::lock_guard lock(mutex_);
  return posted_.put(std::move(message));
}

bool TelemetrySender::send() {
  const std::lock_guard order(sending_);
  for (int i = 0; i < kMessagesInTurn && channel_.unsent(0) < kMostUnsent; ++i) {
    std::optional<Message> message;
    {
      const std::lock_guard lock(mutex_);
      message = posted_.take();
    }
    if (!message) return true;
    Heartbeat heartbeat = own_pulse_(HeartbeatKind::kMessage);
    heartbeat.dropped = message->dropped_before;
    channel_.send(0, heartbeat, message->bytes);
  }
  return false;
}

// The answer to a ping tells that all before it has come.
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
  Heartbeat heartbeat = own_pulse_(HeartbeatKind::kPing);
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

}  // namespace verbund
