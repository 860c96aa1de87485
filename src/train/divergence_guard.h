// Notices a loss that is not finite or that explodes, before it burns hours.
#pragma once

#include <string>

namespace verbund {

class DivergenceGuard {
 public:
  // `untrained`: the loss of a model that knows nothing (log of the vocabulary's size).
  DivergenceGuard(double factor, double untrained) : factor_(factor), untrained_(untrained) {}

  // Why training must not go on after a step with this mean loss; "" if it may.
  std::string judge(double loss, bool gradient_finite);
  // What is wrong with a model that has this mean loss; "" if nothing is. Leaves the running mean as it is.
  std::string trouble_with(double loss) const;

  // The running mean belongs to the state.
  double mean() const { return mean_; }
  void set_mean(double mean) { mean_ = mean; }

 private:
  double factor_, untrained_;
  double mean_ = 0;  // 0: nothing seen yet
};

}  // namespace verbund
