#include "control/clock_estimator.h"

#include <algorithm>
#include <cmath>

namespace verbund {

void ClockEstimator::add(const ClockSample& sample) {
  const double offset = ((sample.received - sample.sent) + (sample.replied - sample.arrived)) / 2;
  const double under_way = (sample.arrived - sample.sent) - (sample.replied - sample.received);
  // No clock that runs says this. (The readings have a rounding error of less than a microsecond.)
  if (!std::isfinite(offset) || !(under_way > -1e-6) || sample.replied < sample.received) return;
  const double bound = std::max(0.0, under_way / 2);
  const ClockOffset known = at(sample.arrived);
  // Two bounds that exclude each other: a clock has jumped, as after a machine was asleep. What is new is true.
  const bool has_jumped = std::abs(offset - known.offset) > bound + known.bound + 1e-6;
  if (bound > known.bound && !has_jumped) return;
  best_ = {offset, bound};
  when_ = sample.arrived;
}

ClockOffset ClockEstimator::at(double now) const {
  return {best_.offset, best_.bound + kDrift * std::max(0.0, now - when_)};
}

}  // namespace verbund
