// SPDX-License-Identifier: Apache-2.0
// Reduction of long series for drawing: buckets with the smallest, largest and last value, so that no spike is lost,
// and smoothed curves for noisy ones. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "page/chart.h"

namespace verbund {

struct Bucket {
  double x = 0;  // of the last value
  double low = 0, high = 0, last = 0;
  bool gap_before = false;  // non-finite values lie between this bucket and the one before
};

// At most `count` buckets, plus those after gaps; a short series gets a bucket per value.
std::vector<Bucket> into_buckets(const std::vector<double>& x, const std::vector<double>& y, size_t count);

// The mean over each value's neighbours, as many before as after it and at most `reach` each, so that it does not lag.
// NaN where the value is NaN.
std::vector<double> smoothed(const std::vector<double>& y, size_t reach);

// True if the series goes up and down so often that a smoothed curve helps.
bool is_noisy(const std::vector<double>& y);

struct SeriesRange {
  double low = 0, high = 0, last = 0;
};
// Nothing if the series has no finite value.
std::optional<SeriesRange> range_of(const Series& series);

}  // namespace verbund
