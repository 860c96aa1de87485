// SPDX-License-Identifier: Apache-2.0
// Multiple linear regression by least squares, y = c0 + c1 x1 + c2 x2 + ..., with an interval for each coefficient.
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
  double residual = 0;                    // standard deviation of the residuals
};

// Each regressor is a column as long as y. Returns nothing if there are too few rows, or if the regressors are constant
// or collinear.
std::optional<Regression> least_squares(const std::vector<std::vector<double>>& regressors, std::span<const double> y,
                                        double coverage = 0.8);

}  // namespace verbund
