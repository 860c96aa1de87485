// SPDX-License-Identifier: Apache-2.0
#include "optim/outer_optimizer.h"

#include "core/error.h"

namespace verbund {

OuterOptimizer::OuterOptimizer(size_t size, double rate, double momentum)
    : rate_(static_cast<float>(rate)), keep_(static_cast<float>(momentum)), momentum_(size) {}

void OuterOptimizer::step(std::span<float> weights, std::span<const float> gradient) {
  if (weights.size() != momentum_.size() || gradient.size() != momentum_.size()) {
    fail("the outer optimiser was made for {} weights but got {} weights and {} gradients", momentum_.size(),
         weights.size(), gradient.size());
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    momentum_[i] = keep_ * momentum_[i] + gradient[i];
    weights[i] -= rate_ * (gradient[i] + keep_ * momentum_[i]);
  }
}

}  // namespace verbund
