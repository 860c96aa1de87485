#include "optim/adam.h"

#include <cmath>

#include "optim/blocks.h"
#include "optim/kernel.h"

namespace verbund {
namespace {

// The constants of one update, the same for all weights.
struct AdamFactors {
  float gradient_scale;
  float gradient_decay;  // Adam's weight decay, added to the gradient
  float weight_keep;     // AdamW's: 1 - rate * weight_decay
  float beta1, one_minus_beta1;
  float beta2, one_minus_beta2;
  float root_scale;  // 1 / sqrt(1 - beta2^t)
  float epsilon;
  float rate;  // rate / (1 - beta1^t)
};

// 28 bytes move per weight, so the arithmetic is free and one loop serves every variant.
VERBUND_OPTIM_KERNEL void adam_block(size_t size, AdamFactors f, const float* __restrict gradients,
                                     float* __restrict weights, float* __restrict mean, float* __restrict square) {
#pragma omp simd
  for (size_t i = 0; i < size; ++i) {
    const float gradient = gradients[i] * f.gradient_scale + weights[i] * f.gradient_decay;
    const float m = mean[i] * f.beta1 + gradient * f.one_minus_beta1;
    const float v = square[i] * f.beta2 + gradient * gradient * f.one_minus_beta2;
    mean[i] = m;
    square[i] = v;
    weights[i] = weights[i] * f.weight_keep - f.rate * (m / (std::sqrt(v) * f.root_scale + f.epsilon));
  }
}

// std::pow may differ in the last bit from processor to processor; products do not.
double power(double base, int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) result *= base;
  }
  return result;
}

}  // namespace

Adam::Adam(const OptimizerConfig& config, size_t size, std::vector<Interval> owned)
    : Optimizer(size, std::move(owned)), config_(config), mean_(owned_size()), square_(owned_size()) {}

std::vector<OptimizerState> Adam::state() { return {{"adam.m", mean_.values()}, {"adam.v", square_.values()}}; }

void Adam::update(Interval piece, size_t state, float* weights, const float* gradients, double rate,
                  double gradient_scale) {
  const bool decoupled = config_.type == OptimizerType::kAdamW;
  const AdamFactors factors = {
      .gradient_scale = static_cast<float>(gradient_scale),
      .gradient_decay = decoupled ? 0.0f : static_cast<float>(config_.weight_decay),
      .weight_keep = decoupled ? static_cast<float>(1 - rate * config_.weight_decay) : 1.0f,
      .beta1 = static_cast<float>(config_.beta1),
      .one_minus_beta1 = static_cast<float>(1 - config_.beta1),
      .beta2 = static_cast<float>(config_.beta2),
      .one_minus_beta2 = static_cast<float>(1 - config_.beta2),
      .root_scale = static_cast<float>(1 / std::sqrt(1 - power(config_.beta2, updates()))),
      .epsilon = static_cast<float>(config_.epsilon),
      .rate = static_cast<float>(rate / (1 - power(config_.beta1, updates()))),
  };
  for_each_block(piece, [&](size_t, Interval block) {
    const size_t at = state + block.begin - piece.begin;
    adam_block(block.size(), factors, gradients + block.begin, weights + block.begin, mean_.data() + at,
               square_.data() + at);
  });
}

}  // namespace verbund
