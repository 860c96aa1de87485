// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW as PyTorch computes them. For update t with gradient g:
//
//   m = beta1 m + (1 - beta1) g              the mean gradient
//   v = beta2 v + (1 - beta2) g^2            the mean squared gradient
//   w = w - rate * m^ / (sqrt(v^) + epsilon)    with m^ = m / (1 - beta1^t), v^ = v / (1 - beta2^t)
//
// TensorFlow (and so OpenSeq2Seq) adds epsilon to sqrt(v) instead of sqrt(v^): its epsilon
// acts as epsilon / sqrt(1 - beta2^t) here, 18 times as much at the first step with
// beta2 = 0.997, the same after some thousand. With epsilon 1e-9 both train alike.
//
// Weight decay: Adam adds weight_decay * w to the gradient; AdamW subtracts
// rate * weight_decay * w from the weight, without the moments. LazyAdam differs from Adam only
// in embeddings whose rows were not in the batch; here their gradient is dense (the
// projection to the vocabulary reaches all of them), so it is Adam.
#include <cmath>

#include "optim/optimizer.h"

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

class Adam final : public Optimizer {
 public:
  Adam(Device& device, const OptimizerConfig& config, size_t size, std::vector<Interval> owned);

  std::vector<OptimizerState> state() override;

 protected:
  void update(const OwnedSlice& slice, double rate, double gradient_scale) override;

 private:
  OptimizerConfig config_;
  Buffer mean_;    // m
  Buffer square_;  // v
};

Adam::Adam(Device& device, const OptimizerConfig& config, size_t size, std::vector<Interval> owned)
    : Optimizer(size, std::move(owned)),
      config_(config),
      mean_(device, owned_size(), "Adam's mean gradients"),
      square_(device, owned_size(), "Adam's mean squares") {}

std::vector<OptimizerState> Adam::state() { return {{"adam.m", mean_}, {"adam.v", square_}}; }

void Adam::update(const OwnedSlice& slice, double rate, double gradient_scale) {
  const bool decoupled = config_.type == OptimizerType::kAdamW;
  mean_.device().adam({
      .size = slice.size,
      .gradients = slice.gradients,
      .weights = slice.weights,
      .mean = mean_.data() + slice.state,
      .square = square_.data() + slice.state,
      .operands = slice.operands,
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

}  // namespace

std::unique_ptr<Optimizer> make_adam(Device& device, const OptimizerConfig& config, size_t size,
                                     std::vector<Interval> owned) {
  return std::make_unique<Adam>(device, config, size, std::move(owned));
}

}  // namespace verbund
