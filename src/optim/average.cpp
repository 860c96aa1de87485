#include "optim/average.h"

#include <algorithm>

#include "core/error.h"
#include "optim/blocks.h"
#include "optim/kernel.h"

namespace verbund {
namespace {

VERBUND_OPTIM_KERNEL void average_block(size_t size, float share, const float* __restrict weights,
                                        float* __restrict average) {
#pragma omp simd
  for (size_t i = 0; i < size; ++i) average[i] += share * (weights[i] - average[i]);
}

}  // namespace

WeightAverage::WeightAverage(const AverageConfig& config, size_t size)
    : config_(config), average_(config.decay > 0 ? size : 0) {}

void WeightAverage::update(std::span<const float> weights, int64_t step) {
  if (!enabled() || step < config_.start_step) return;
  if (weights.size() != average_.size()) {
    fail("the average is of {} weights but got {}", average_.size(), weights.size());
  }
  const auto n = static_cast<double>(weights_seen_++);
  const double decay = config_.warmup ? std::min(config_.decay, (1 + n) / (10 + n)) : config_.decay;
  const auto share = static_cast<float>(1 - decay);
  for_each_block({0, weights.size()}, [&](size_t, Interval block) {
    const float* from = weights.data() + block.begin;
    float* to = average_.data() + block.begin;
    if (n == 0) {
      std::copy(from, from + block.size(), to);
    } else {
      average_block(block.size(), share, from, to);
    }
  });
}

}  // namespace verbund
