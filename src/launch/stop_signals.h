// SPDX-License-Identifier: Apache-2.0
// StopSignals receives SIGINT, SIGTERM, SIGHUP and the signals that stand for them (`meaning_of` in core/interrupt.h).
// The first asks a job to save and exit; the second asks it to end at once, if `is_forced_stop` (core/interrupt.h) says
// so. While an object of this class lives, they do not reach the handlers of core/interrupt.h.
#pragma once

#include <chrono>
#include <csignal>

namespace verbund {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // A signal that has come since the last call, or 0.
  int take() const;

  // Throws `Interrupted` if one has come; for use while no job runs.
  void check() const;

 private:
  sigset_t watched_ = {};
  sigset_t before_ = {};
};

// Waits; a signal ends it, see `check`.
void pause_for(std::chrono::milliseconds time, const StopSignals& signals);

}  // namespace verbund
