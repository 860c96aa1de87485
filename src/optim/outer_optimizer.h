// SPDX-License-Identifier: Apache-2.0
// OuterOptimizer is gradient descent with Nesterov momentum, as PyTorch computes it, on weights in host memory:
//
//   b = momentum b + g
//   w = w - rate (g + momentum b)
//
// Its gradient g is the mean change of the weights of workers that have trained on their own (train/outer_step.h).
#pragma once

#include <span>
#include <vector>

namespace verbund {

class OuterOptimizer {
 public:
  OuterOptimizer(size_t size, double rate, double momentum);

  void step(std::span<float> weights, std::span<const float> gradient);

  // b, for checkpoints; zero at first.
  std::span<float> momentum() { return momentum_; }
  std::span<const float> momentum() const { return momentum_; }

 private:
  float rate_, keep_;
  std::vector<float> momentum_;
};

}  // namespace verbund
