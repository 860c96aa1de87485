// Gradient descent with momentum, as PyTorch computes it:
//
//   b = momentum b + g          (b = g at the first update)
//   w = w - rate * b
//
// with weight_decay * w added to the gradient g. Without momentum there is nothing to
// remember, and no buffer.
#pragma once

#include "optim/optimizer.h"

namespace verbund {

class Sgd final : public Optimizer {
 public:
  Sgd(Device& device, const OptimizerConfig& config, size_t size, std::vector<Interval> owned);

  std::vector<OptimizerState> state() override;

 protected:
  void update(const OwnedPiece& piece, double rate, double gradient_scale) override;

 private:
  OptimizerConfig config_;
  Buffer momentum_;  // b; empty without momentum
};

}  // namespace verbund
