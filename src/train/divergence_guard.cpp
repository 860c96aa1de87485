// SPDX-License-Identifier: Apache-2.0
#include "train/divergence_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace verbund {

std::string DivergenceGuard::judge(double loss, bool gradient_finite) {
  if (std::string trouble = trouble_with(loss); !trouble.empty()) return trouble;
  if (!gradient_finite) return "the gradient is not finite";
  mean_ = mean_ == 0 ? loss : 0.98 * mean_ + 0.02 * loss;
  return "";
}

std::string DivergenceGuard::trouble_with(double loss) const {
  if (!std::isfinite(loss)) return fmt::format("the label-smoothed loss is {}", loss);
  if (mean_ > 0 && loss > factor_ * mean_ && loss > 1.5 * untrained_) {
    return fmt::format("the label-smoothed loss is {:.4g}, {:.3g} times its running mean of {:.4g}", loss, loss / mean_,
                       mean_);
  }
  // A model that is certain of wrong tokens is worse than an untrained one.
  if (loss > 4 * untrained_) {
    return fmt::format("the label-smoothed loss is {:.4g}; an untrained model has {:.4g}", loss, untrained_);
  }
  return "";
}

}  // namespace verbund
