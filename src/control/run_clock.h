// The time of a run: the wall clock, taken once at the start, and the steady clock since. So a clock that is set in the
// middle of a run does not show.
#pragma once

#include <chrono>

namespace verbund {

class RunClock {
 public:
  using Time = std::chrono::steady_clock::time_point;

  RunClock() : RunClock(seconds(std::chrono::system_clock::now().time_since_epoch())) {}
  // `wall`: seconds since 1970, now.
  explicit RunClock(double wall) : wall_(wall) {}

  double now() const { return at(std::chrono::steady_clock::now()); }
  // Seconds since 1970.
  double at(Time time) const { return wall_ + seconds(time - start_); }

 private:
  static double seconds(std::chrono::duration<double> duration) { return duration.count(); }

  double wall_;
  Time start_ = std::chrono::steady_clock::now();
};

}  // namespace verbund
