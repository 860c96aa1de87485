// SPDX-License-Identifier: Apache-2.0
// Gradient clipping: the size of a gradient, and the factor to scale it by. One pass computes the norm, the largest
// value and whether all values are finite; the scaling itself happens inside the optimizer's pass.
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

// Over these intervals only: frozen weights have no part in the norm.
GradientSize measure(const Buffer& gradients, std::span<const Interval> intervals);

// The factor by which a gradient of this norm gets a norm of at most `clip_norm`; 1 if it is small enough, or if
// `clip_norm` is 0. Refuses a norm that is not finite.
double clip_factor(double norm, double clip_norm);

}  // namespace verbund
