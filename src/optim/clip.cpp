// SPDX-License-Identifier: Apache-2.0
#include "optim/clip.h"

#include <array>

#include "core/error.h"

namespace verbund {

GradientSize measure(const Buffer& gradients) { return measure(gradients, std::array{Interval{0, gradients.size()}}); }

GradientSize measure(const Buffer& gradients, std::span<const Interval> intervals) {
  for (const Interval interval : intervals) {
    if (interval.end > gradients.size()) {
      fail("interval [{}, {}) is outside the {} gradients", interval.begin, interval.end, gradients.size());
    }
  }
  const auto [squares, largest] = gradients.device().measure(gradients.data(), intervals);
  // A NaN is larger than nothing, so `largest` has missed it; the sum has not.
  return {std::sqrt(squares), std::isfinite(squares) ? largest : squares};
}

double clip_factor(double norm, double clip_norm) {
  if (!std::isfinite(norm)) fail("the gradient's norm is {}: a step with such a gradient must be skipped", norm);
  return clip_norm > 0 && norm > clip_norm ? clip_norm / norm : 1.0;
}

}  // namespace verbund
