// SPDX-License-Identifier: Apache-2.0
#include "launch/stop_signals.h"

#include <algorithm>
#include <thread>

#include "core/error.h"
#include "core/interrupt.h"

namespace verbund {

StopSignals::StopSignals() {
  check_interrupt();
  sigemptyset(&watched_);
  for (const int signal : stop_signal_numbers()) sigaddset(&watched_, signal);
  ::sigprocmask(SIG_BLOCK, &watched_, &before_);
}

StopSignals::~StopSignals() {
  while (take() != 0) {
  }
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int StopSignals::take() const {
  const timespec now = {0, 0};
  const int signal = meaning_of(std::max(::sigtimedwait(&watched_, nullptr, &now), 0));
  note_interrupt(signal);
  return signal;
}

void StopSignals::check() const {
  if (const int signal = take()) throw Interrupted(signal);
}

void pause_for(std::chrono::milliseconds time, const StopSignals& signals) {
  using Clock = std::chrono::steady_clock;
  for (const Clock::time_point end = Clock::now() + time; Clock::now() < end;) {
    signals.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace verbund
