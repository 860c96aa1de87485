// Quantiles, and the interval that most results here come with.
#pragma once

#include <span>
#include <vector>

namespace verbund {

struct Bounds {
  double low = 0, high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

// Of values in any order, with straight lines between neighbours (what R and numpy do unless told otherwise).
// NaN if there are none; `share` in [0, 1].
double quantile(std::vector<double> values, double share);
double median(std::vector<double> values);
double mean(std::span<const double> values);

// The middle part: coverage 0.8 is from the 10 % to the 90 % quantile.
Bounds middle(std::vector<double> values, double coverage);

// Without what is not a number.
std::vector<double> finite(std::span<const double> values);

}  // namespace verbund
