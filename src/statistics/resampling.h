// SPDX-License-Identifier: Apache-2.0
// The block bootstrap gives an interval for a statistic of a series whose neighbouring values are correlated: the
// series is put together again and again from random blocks of itself, and the statistic is computed for each. Blocks
// wrap around at the end of the series, so that every value is equally likely. The sign-flip test compares paired
// values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/random.h"
#include "statistics/quantile.h"

namespace verbund {

struct Bootstrap {
  size_t repeats = 500;
  size_t block = 0;  // values; 0: 1.5 times the cube root of the series' length, at least 1
  double coverage = 0.8;
  uint64_t seed = 1;
};

size_t block_length(size_t values, const Bootstrap& settings);

// Draws `count` values in blocks of the series.
std::vector<double> resample_blocks(std::span<const double> series, size_t count, size_t block, Random& random);

// A series longer than kLongestSeries is represented by evenly spread stretches of it: the interval is then wider than
// necessary, never narrower.
inline constexpr size_t kLongestSeries = 4000;
Bounds block_bootstrap(std::span<const double> series,
                       const std::function<double(const std::vector<double>&)>& statistic,
                       const Bootstrap& settings = {});

// Permutation test of whether paired differences are above 0 on the whole: if chance alone made them, each might as
// well have the other sign. Returns the one-sided p-value, (times a sum with random signs reaches the one observed + 1)
// / (flips + 1).
double sign_flip_test(std::span<const double> differences, size_t flips = 2000, uint64_t seed = 1);

}  // namespace verbund
