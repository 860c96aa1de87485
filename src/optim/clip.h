// The size of a gradient, and how much to shorten it. One pass tells norm, largest value
// and whether all is finite; the shortening itself happens inside the optimiser's pass.
//
//   const GradientSize size = measure(gradients, optimizer.active());
//   if (!size.finite()) ...                                     // skip this step
//   const double factor = clip_factor(size.norm * scale, config.clip_norm);
//   optimizer.step(weights, gradients, rate, scale * factor);
#pragma once

#include <cmath>
#include <span>

#include "core/interval.h"
#include "device/buffer.h"

namespace verbund {

struct GradientSize {
  double norm = 0;     // root of the sum of squares; not finite if any value is not
  double largest = 0;  // max |value|; not finite either in that case

  bool finite() const { return std::isfinite(norm); }
};

GradientSize measure(const Buffer& gradients);

// Over these pieces only: frozen weights have no part in the norm.
GradientSize measure(const Buffer& gradients, std::span<const Interval> pieces);

// What to multiply a gradient of this norm by so that its norm is at most `clip_norm`;
// 1 if it is short enough, or if `clip_norm` is 0. A norm that is not finite is refused.
double clip_factor(double norm, double clip_norm);

}  // namespace verbund
