// A long series as it fits into a drawing: at most so many buckets of smallest, largest and last value, so that no
// spike is lost, and a smoothed curve for noisy ones. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "report/chart.h"

namespace verbund {

struct Bucket {
  double x = 0;  // of the last value
  double low = 0, high = 0, last = 0;
  bool gap_before = false;  // values that are not finite lie between this and the one before
};

// Of the values whose place is known. A series of at most `count` values gives a bucket for each.
std::vector<Bucket> into_buckets(const std::vector<double>& x, const std::vector<double>& y, size_t count);

// The mean of the values around each, as many before as after it and at most `reach`, so that it neither lags behind
// nor is drawn to the curve's beginning or end. NaN where the value is.
std::vector<double> smoothed(const std::vector<double>& y, size_t reach);

// Goes up and down more often than a curve with a direction: worth a smoothed one over it.
bool is_noisy(const std::vector<double>& y);

}  // namespace verbund
