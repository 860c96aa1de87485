#include "comm/mail.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace verbund {
namespace {

constexpr int kFirstPings = 8;
constexpr size_t kMostUnsent = 64 * 1024;  // of messages that have left the queue; signs of life are right after them
constexpr int kMessagesInTurn = 64;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

bool Mail::post(Message message) {
  const std::lock_guard lock(mutex_);
  return posted_.put(std::move(message));
}

bool Mail::send() {
  const std::lock_guard order(sending_);
  for (int i = 0; i < kMessagesInTurn && channel_.unsent(0) < kMostUnsent; ++i) {
    std::optional<Message> message;
    {
      const std::lock_guard lock(mutex_);
      message = posted_.take();
    }
    if (!message) return true;
    Pulse pulse = own_pulse_(PulseKind::kMessage);
    pulse.dropped = message->dropped_before;
    channel_.send(0, pulse, message->bytes);
  }
  return false;
}

// The answer to a ping tells that all before it has come.
bool Mail::flush(double seconds) {
  const double end = now() + seconds;
  for (; !send(); std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    if (now() >= end || closed_) return false;
  }
  return await_answer(ping(), end);
}

void Mail::set_clock(double seconds) {
  const double end = now() + seconds;
  for (int i = 0; i < kFirstPings && await_answer(ping(), end); ++i) {
  }
}

void Mail::ask_again() {
  if (answered_ == pings_) ping();
}

uint64_t Mail::ping() {
  Pulse pulse = own_pulse_(PulseKind::kPing);
  pulse.ping = ++pings_;
  pulse.sent = clock_.now();
  channel_.send(0, pulse);
  return pulse.ping;
}

bool Mail::await_answer(uint64_t ping, double end) const {
  for (; answered_ < ping; std::this_thread::sleep_for(std::chrono::microseconds(500))) {
    if (now() >= end || closed_) return false;
  }
  return true;
}

void Mail::hear_answer(const Pulse& answer, double arrived) {
  const std::lock_guard lock(mutex_);
  estimator_.add({answer.sent, answer.received, answer.replied, arrived});
  answered_ = std::max<uint64_t>(answered_, answer.ping);
}

ClockOffset Mail::offset() const {
  const std::lock_guard lock(mutex_);
  return estimator_.at(clock_.now());
}

}  // namespace verbund
