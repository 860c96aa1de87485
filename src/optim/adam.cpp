#include "optim/adam.h"

#include <cmath>

namespace verbund {
namespace {

// std::pow may differ in the last bit from processor to processor; products do not.
double power(double base, int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) result *= base;
  }
  return result;
}

}  // namespace

Adam::Adam(Device& device, const OptimizerConfig& config, size_t size, std::vector<Interval> owned)
    : Optimizer(size, std::move(owned)),
      config_(config),
      mean_(device, owned_size(), "Adam's mean gradients"),
      square_(device, owned_size(), "Adam's mean squares") {}

std::vector<OptimizerState> Adam::state() { return {{"adam.m", mean_}, {"adam.v", square_}}; }

void Adam::update(const OwnedPiece& piece, double rate, double gradient_scale) {
  const bool decoupled = config_.type == OptimizerType::kAdamW;
  mean_.device().adam({
      .size = piece.size,
      .gradients = piece.gradients,
      .weights = piece.weights,
      .mean = mean_.data() + piece.state,
      .square = square_.data() + piece.state,
      .operands = piece.operands,
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
  });
}

}  // namespace verbund
