// Adam and AdamW, as PyTorch computes them. For update t with gradient g:
//
//   m = beta1 m + (1 - beta1) g              the mean gradient
//   v = beta2 v + (1 - beta2) g^2            the mean squared gradient
//   w = w - rate * m^ / (sqrt(v^) + epsilon)    with m^ = m / (1 - beta1^t), v^ = v / (1 - beta2^t)
//
// TensorFlow (and so OpenSeq2Seq) adds epsilon to sqrt(v) instead of sqrt(v^): its epsilon
// acts as epsilon / sqrt(1 - beta2^t) here, 18 times as much at the first step with
// beta2 = 0.997, the same after some thousand. With epsilon 1e-9 both train alike.
//
// Weight decay: Adam adds weight_decay * w to the gradient; AdamW takes
// rate * weight_decay * w off the weight, past the moments. LazyAdam differs from Adam only
// in embeddings whose rows were not in the batch; here their gradient is dense (the
// projection to the vocabulary reaches all of them), so it is Adam.
#pragma once

#include "optim/optimizer.h"

namespace verbund {

class Adam final : public Optimizer {
 public:
  Adam(Device& device, const OptimizerConfig& config, size_t size, std::vector<Interval> owned);

  std::vector<OptimizerState> state() override;

 protected:
  void update(const OwnedPiece& piece, double rate, double gradient_scale) override;

 private:
  OptimizerConfig config_;
  Buffer mean_;    // m
  Buffer square_;  // v
};

}  // namespace verbund
