// The phases of a step: the watch hears which one this worker is in, and each is timed.
#pragma once

#include <array>
#include <chrono>

#include "collectives/workers.h"

namespace verbund {

enum class Phase { kCompute, kExchange, kUpdate };

class Phases {
 public:
  Phases(Workers& workers, int64_t step) : workers_(workers), step_(step) { enter(Phase::kCompute); }

  // The one before ends.
  void enter(Phase phase) {
    static constexpr const char* kNames[] = {"forward and backward", "waiting for the gradients of all", "update"};
    lap();
    current_ = static_cast<size_t>(phase);
    workers_.watchdog().report_phase(step_, kNames[current_]);
  }
  void end() { lap(); }

  double seconds(Phase phase) const { return seconds_[static_cast<size_t>(phase)]; }

 private:
  using Clock = std::chrono::steady_clock;

  void lap() {
    const auto now = Clock::now();
    seconds_[current_] += std::chrono::duration<double>(now - entered_).count();
    entered_ = now;
  }

  Workers& workers_;
  int64_t step_;
  Clock::time_point entered_ = Clock::now();
  size_t current_ = 0;
  std::array<double, 3> seconds_ = {};
};

}  // namespace verbund
