// SPDX-License-Identifier: Apache-2.0
// Quantiles of samples and of the normal and Student distributions, and Bounds, the interval that most results of this
// folder come with.
#pragma once

#include <span>
#include <vector>

namespace verbund {

struct Bounds {
  double low = 0, high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

// Quantile of values in any order, interpolated linearly between neighbours (the default of R and NumPy).
// NaN if there are no values; `share` is in [0, 1].
double quantile(std::vector<double> values, double share);
double median(std::vector<double> values);
double mean(std::span<const double> values);

// The central interval: coverage 0.8 is from the 10 % to the 90 % quantile.
Bounds middle(const std::vector<double>& values, double coverage);

// The values without NaN and infinities.
std::vector<double> finite(std::span<const double> values);

double normal_cumulative(double z);
double normal_quantile(double share);  // 0 < share < 1
double student_cumulative(double t, double degrees);
double student_quantile(double share, double degrees);  // degrees of freedom >= 1

}  // namespace verbund
