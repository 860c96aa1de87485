// How far a statistic of a series might be off, without assuming that neighbours are independent: the series is put
// together again and again from blocks of it, drawn at random (over its end they go on at its begin, so that every
// value is as likely), and the statistic computed of each.
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

// `count` values from blocks of the series.
std::vector<double> resample_blocks(std::span<const double> series, size_t count, size_t block, Random& random);

// Of series longer than kLongestSeries, stretches of it, evenly spread, are taken: the interval is then wider than it
// need be, never narrower.
inline constexpr size_t kLongestSeries = 4000;
Bounds block_bootstrap(std::span<const double> series,
                       const std::function<double(const std::vector<double>&)>& statistic,
                       const Bootstrap& settings = {});

}  // namespace verbund
