// Does a series rise or fall? Answers that a few wild values do not change: Theil and Sen's slope (the median of the
// slopes of all pairs of points) with its interval, and the test of Mann and Kendall.
#pragma once

#include <span>
#include <vector>

#include "statistics/quantile.h"

namespace verbund {

struct Trend {
  double slope = 0, intercept = 0;
  Bounds interval;  // of the slope
};

// At least two points; x need not rise. The work grows with the square of their number: see thin().
Trend theil_sen(std::span<const double> x, std::span<const double> y, double coverage = 0.8);

// Two-sided p-value of "neither rises nor falls", for values in their order. Ties count.
double mann_kendall(std::span<const double> values);

// At most `most` points: medians of x and y of neighbours. Points that are not finite are left out.
struct Points {
  std::vector<double> x, y;
};
Points thin(std::span<const double> x, std::span<const double> y, size_t most = 300);

}  // namespace verbund
