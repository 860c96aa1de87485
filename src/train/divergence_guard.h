// SPDX-License-Identifier: Apache-2.0
// DivergenceGuard detects a loss that is not finite or that explodes.
#pragma once

#include <string>

namespace verbund {

class DivergenceGuard {
 public:
  // `untrained`: the loss of an untrained model (log of the vocabulary's size).
  DivergenceGuard(double factor, double untrained) : factor_(factor), untrained_(untrained) {}

  // The reason to stop after a step with this mean loss; "" if there is none.
  std::string judge(double loss, bool gradient_finite);
  // The problem of a model with this mean loss; "" if there is none. Does not change the running mean.
  std::string trouble_with(double loss) const;

  // The running mean is part of the state in checkpoints.
  double mean() const { return mean_; }
  void set_mean(double mean) { mean_ = mean; }

 private:
  double factor_, untrained_;
  double mean_ = 0;  // 0: none yet
};

}  // namespace verbund
