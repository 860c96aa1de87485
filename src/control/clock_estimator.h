// SPDX-License-Identifier: Apache-2.0
// RunClock tells the time of a run; ClockEstimator estimates the offset of another worker's clock.
//
// The estimate is made over the network, as NTP makes it: a question leaves at `sent` and the answer arrives at
// `arrived` on the asking worker's clock; the other worker read `received` and `replied` on its clock. If both ways
// took equally long, the middle of the former was the middle of the latter. If they did not, the error is at most half
// of the time on the network. That is a hard bound, so the sample with the smallest bound is the best. Clocks drift, so
// a sample's bound grows with its age until a newer sample replaces it.
#pragma once

#include <chrono>
#include <limits>

#include "core/wall_clock.h"

namespace verbund {

// The wall clock, read once at the start, and the steady clock since: setting the machine's clock does not change it.
class RunClock {
 public:
  using Time = std::chrono::steady_clock::time_point;

  RunClock() : RunClock(wall_seconds()) {}
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

struct ClockOffset {
  double offset = 0;                                       // to be added to the own clock, in seconds
  double bound = std::numeric_limits<double>::infinity();  // the largest possible error; infinite if nothing is known
};

struct ClockSample {
  double sent = 0, received = 0, replied = 0, arrived = 0;
};

class ClockEstimator {
 public:
  // Clocks of computers drift by some 50 millionths at worst, two of them apart by twice that.
  static constexpr double kDrift = 1e-4;  // seconds per second

  void add(const ClockSample& sample);
  // The estimate at this time of the own clock.
  ClockOffset at(double now) const;

 private:
  ClockOffset best_;  // as it was measured ...
  double when_ = 0;   // ... at this time
};

}  // namespace verbund
