// SPDX-License-Identifier: Apache-2.0
#include "control/clock_estimator.h"

#include <algorithm>
#include <cmath>

namespace verbund {

void ClockEstimator::add(const ClockSample& sample) {
  const double offset = ((sample.received - sample.sent) + (sample.replied - sample.arrived)) / 2;
  const double on_network = (sample.arrived - sample.sent) - (sample.replied - sample.received);
  // Running clocks cannot give such a sample. (Readings are rounded by less than a microsecond.)
  if (!std::isfinite(offset) || !(on_network > -1e-6) || sample.replied < sample.received) return;
  const double bound = std::max(0.0, on_network / 2);
  const ClockOffset known = at(sample.arrived);
  // The bounds exclude each other: a clock has jumped, as after a machine was asleep. The new sample is right.
  const bool has_jumped = std::abs(offset - known.offset) > bound + known.bound + 1e-6;
  if (bound > known.bound && !has_jumped) return;
  best_ = {offset, bound};
  when_ = sample.arrived;
}

ClockOffset ClockEstimator::at(double now) const {
  return {best_.offset, best_.bound + kDrift * std::max(0.0, now - when_)};
}

}  // namespace verbund
