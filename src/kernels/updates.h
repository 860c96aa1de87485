// What changes or measures flat buffers of weights and gradients: the optimisers' updates, averages, norms. On a CPU
// their bits do not depend on its instruction set or on the number of threads.
#pragma once

#include <cstddef>
#include <span>

#include "core/interval.h"
#include "kernels/typed_floats.h"

namespace verbund {

// Each works on `size` values. `factors`, if not null, receives the new weights once more, for products.
struct AdamUpdate {
  size_t size;
  const float* gradients;
  float *weights, *mean, *square;
  TypedFloats factors;
  float gradient_scale;
  float gradient_decay;  // Adam's weight decay, added to the gradient
  float weight_keep;     // AdamW's: 1 - rate * weight_decay
  float beta1, one_minus_beta1;
  float beta2, one_minus_beta2;
  float root_scale;  // 1 / sqrt(1 - beta2^t)
  float epsilon;
  float rate;  // rate / (1 - beta1^t)
};
struct SgdUpdate {
  size_t size;
  const float* gradients;
  float *weights, *momentum;  // null: without
  TypedFloats factors;
  float gradient_scale;
  float weight_decay;
  float momentum_keep;
  float rate;
};
// average += share * (weights - average)
struct AverageUpdate {
  size_t size;
  const float* weights;
  float* average;
  float share;
};
// Of some pieces of a buffer.
struct Magnitude {
  double squares = 0;  // the sum of squares; not finite if any value is not
  float largest = 0;   // max |value|, of those that are numbers
};

void update_adam(const AdamUpdate& update);
void update_sgd(const SgdUpdate& update);
void update_average(const AverageUpdate& update);
Magnitude measure_magnitude(const float* values, std::span<const Interval> pieces);

}  // namespace verbund
