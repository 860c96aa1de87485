// SPDX-License-Identifier: Apache-2.0
#include "optim/ema.h"

#include <algorithm>

#include "core/error.h"

namespace verbund {

WeightEma::WeightEma(Device& device, const EmaConfig& config, size_t size)
    : config_(config), average_(device, config.decay > 0 ? size : 0, "averaged weights") {}

void WeightEma::update(const Buffer& weights, int64_t step, int64_t steps) {
  if (!enabled() || step < config_.start_step) return;
  if (weights.size() != average_.size()) {
    fail("the average is of {} weights but got {}", average_.size(), weights.size());
  }
  const auto n = static_cast<double>(weights_seen_++);
  double decay = config_.decay;
  for (int64_t i = 1; i < steps; ++i) decay *= config_.decay;
  if (config_.warmup) decay = std::min(decay, (1 + n) / (10 + n));
  const auto share = static_cast<float>(1 - decay);
  if (n == 0) {
    average_.device().copy(average_.data(), weights.data(), weights.size() * sizeof(float));
  } else {
    average_.device().ema({weights.size(), weights.data(), average_.data(), share});
  }
}

}  // namespace verbund
