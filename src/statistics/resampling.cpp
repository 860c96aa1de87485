// SPDX-License-Identifier: Apache-2.0
#include "statistics/resampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace verbund {
namespace {

constexpr size_t kStretch = 40;

std::vector<double> spread_stretches(std::span<const double> series) {
  const size_t stretches = kLongestSeries / kStretch;
  std::vector<double> taken;
  taken.reserve(kLongestSeries);
  for (size_t i = 0; i < stretches; ++i) {
    const size_t begin = i * (series.size() - kStretch) / (stretches - 1);
    taken.insert(taken.end(), series.begin() + static_cast<ptrdiff_t>(begin),
                 series.begin() + static_cast<ptrdiff_t>(begin + kStretch));
  }
  return taken;
}

}  // namespace

size_t block_length(size_t values, const Bootstrap& settings) {
  if (settings.block > 0) return std::min(settings.block, std::max<size_t>(values, 1));
  const auto length = static_cast<size_t>(std::lround(1.5 * std::cbrt(static_cast<double>(values))));
  return std::clamp<size_t>(length, 1, std::max<size_t>(values, 1));
}

std::vector<double> resample_blocks(std::span<const double> series, size_t count, size_t block, Random& random) {
  std::vector<double> drawn;
  drawn.reserve(count + block);
  while (drawn.size() < count) {
    const size_t begin = random.below(series.size());
    for (size_t i = 0; i < block && drawn.size() < count; ++i) drawn.push_back(series[(begin + i) % series.size()]);
  }
  return drawn;
}

Bounds block_bootstrap(std::span<const double> series,
                       const std::function<double(const std::vector<double>&)>& statistic, const Bootstrap& settings) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (series.empty()) return {kNone, kNone};
  std::vector<double> stretches;
  if (series.size() > kLongestSeries) series = stretches = spread_stretches(series);
  const size_t block = block_length(series.size(), settings);
  Random random(settings.seed, 0);
  std::vector<double> results;
  results.reserve(settings.repeats);
  for (size_t i = 0; i < settings.repeats; ++i) {
    results.push_back(statistic(resample_blocks(series, series.size(), block, random)));
  }
  return middle(results, settings.coverage);
}

double sign_flip_test(std::span<const double> differences, size_t flips, uint64_t seed) {
  const double seen = std::accumulate(differences.begin(), differences.end(), 0.0);
  Random random(seed, 1);
  size_t reached = 0;
  for (size_t flip = 0; flip < flips; ++flip) {
    double sum = 0;
    uint64_t signs = 0;
    for (size_t i = 0; i < differences.size(); ++i) {
      if (i % 64 == 0) signs = random.next();
      sum += signs >> (i % 64) & 1 ? differences[i] : -differences[i];
    }
    if (sum >= seen) ++reached;
  }
  return static_cast<double>(reached + 1) / static_cast<double>(flips + 1);
}

}  // namespace verbund
