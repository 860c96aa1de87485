// SPDX-License-Identifier: Apache-2.0
#include "launch/stop_signals.h"

#include <algorithm>

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
  const int signal = ::sigtimedwait(&watched_, nullptr, &now);
  return signal == SIGUSR1 ? SIGTERM : std::max(signal, 0);
}

void StopSignals::check() const {
  if (const int signal = take()) throw Interrupted(signal);
}

}  // namespace verbund
