// SPDX-License-Identifier: Apache-2.0
// Gradient descent with momentum, as PyTorch computes it:
//
//   b = momentum b + g          (b = g at the first update)
//   w = w - rate * b
//
// with weight_decay * w added to the gradient g. Without momentum there is nothing to
// remember, and no buffer.
#include "optim/optimizer.h"

namespace verbund {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(Device& device, const OptimizerConfig& config, size_t size, std::vector<Interval> owned);

  std::vector<OptimizerState> state() override;

 protected:
  void update(const OwnedSlice& slice, double rate, double gradient_scale) override;

 private:
  OptimizerConfig config_;
  Buffer momentum_;  // b; empty without momentum
};

Sgd::Sgd(Device& device, const OptimizerConfig& config, size_t size, std::vector<Interval> owned)
    : Optimizer(size, std::move(owned)),
      config_(config),
      momentum_(device, config.momentum > 0 ? owned_size() : 0, "momentum") {}

std::vector<OptimizerState> Sgd::state() {
  if (momentum_.size() == 0) return {};
  return {{"sgd.momentum", momentum_}};
}

void Sgd::update(const OwnedSlice& slice, double rate, double gradient_scale) {
  momentum_.device().sgd({
      .size = slice.size,
      .gradients = slice.gradients,
      .weights = slice.weights,
      .momentum = momentum_.size() == 0 ? nullptr : momentum_.data() + slice.state,
      .operands = slice.operands,
      .gradient_scale = static_cast<float>(gradient_scale),
      .weight_decay = static_cast<float>(config_.weight_decay),
      .momentum_keep = static_cast<float>(config_.momentum),
      .rate = static_cast<float>(rate),
  });
}

}  // namespace

std::unique_ptr<Optimizer> make_sgd(Device& device, const OptimizerConfig& config, size_t size,
                                    std::vector<Interval> owned) {
  return std::make_unique<Sgd>(device, config, size, std::move(owned));
}

}  // namespace verbund
