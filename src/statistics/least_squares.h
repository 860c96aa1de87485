// y = c0 + c1 x1 + c2 x2 + ... by least squares, each coefficient with an interval.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "statistics/quantile.h"

namespace verbund {

struct Coefficient {
  double value = 0, error = 0;  // standard error
  Bounds interval;              // Student's
};

struct Regression {
  std::vector<Coefficient> coefficients;  // the constant first, then one for each regressor
  double explained = 0;                   // share of y's variance (R squared)
  double residual = 0;                    // standard deviation of what is left
};

// Each regressor is a column as long as y. Nothing if there are too few rows, or if the regressors do not vary
// or say the same as each other.
std::optional<Regression> least_squares(const std::vector<std::vector<double>>& regressors, std::span<const double> y,
                                        double coverage = 0.8);

}  // namespace verbund
