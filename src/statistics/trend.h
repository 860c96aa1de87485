// SPDX-License-Identifier: Apache-2.0
// Robust trend of a series: the Theil-Sen slope (the median of the slopes of all pairs of points) with its interval,
// and the Mann-Kendall test. A few outliers change neither.
#pragma once

#include <span>
#include <vector>

#include "statistics/quantile.h"

namespace verbund {

struct Trend {
  double slope = 0, intercept = 0;
  Bounds interval;  // of the slope
};

// Needs at least two points; x need not be sorted. The cost is quadratic in their number: see thin().
Trend theil_sen(std::span<const double> x, std::span<const double> y, double coverage = 0.8);

// Two-sided p-value of "no trend", for values in their order. Ties are corrected for.
double mann_kendall(std::span<const double> values);

// Reduces a series to at most `max_points` points, the medians of x and y of neighbours. Points that are not finite are
// left out.
struct Points {
  std::vector<double> x, y;
};
Points thin(std::span<const double> x, std::span<const double> y, size_t max_points = 300);

}  // namespace verbund
