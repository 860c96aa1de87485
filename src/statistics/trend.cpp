// SPDX-License-Identifier: Apache-2.0
#include "statistics/trend.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "statistics/quantile.h"

namespace verbund {
namespace {

// Variance of Kendall's sum under no trend, corrected for ties.
double kendall_variance(std::span<const double> values) {
  const auto weight = [](double n) { return n * (n - 1) * (2 * n + 5); };
  std::map<double, int> ties;
  for (const double value : values) ++ties[value];
  double variance = weight(static_cast<double>(values.size()));
  for (const auto& [value, count] : ties) variance -= weight(count);
  return variance / 18;
}

}  // namespace

Trend theil_sen(std::span<const double> x, std::span<const double> y, double coverage) {
  std::vector<double> slopes;
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t j = i + 1; j < x.size(); ++j) {
      if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    }
  }
  Trend trend;
  if (slopes.empty()) return trend;
  std::sort(slopes.begin(), slopes.end());
  const size_t count = slopes.size();
  trend.slope = (slopes[(count - 1) / 2] + slopes[count / 2]) / 2;
  std::vector<double> left(x.size());
  for (size_t i = 0; i < x.size(); ++i) left[i] = y[i] - trend.slope * x[i];
  trend.intercept = median(std::move(left));
  // Sen's interval reaches as many slopes to either side of the median as Kendall's sum may differ from 0.
  const double off = normal_quantile((1 + coverage) / 2) * std::sqrt(kendall_variance(y)) / 2;
  const double middle = static_cast<double>(count - 1) / 2;
  const auto at = [&](double place) {
    return slopes[static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(count - 1)))];
  };
  trend.interval = {at(std::floor(middle - off)), at(std::ceil(middle + off))};
  return trend;
}

double mann_kendall(std::span<const double> values) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i + 1; j < values.size(); ++j) sum += (values[j] > values[i]) - (values[j] < values[i]);
  }
  const double variance = kendall_variance(values);
  if (variance <= 0 || sum == 0) return 1;
  const double z = (std::abs(sum) - 1) / std::sqrt(variance);
  return 2 * (1 - normal_cumulative(z));
}

Points thin(std::span<const double> x, std::span<const double> y, size_t max_points) {
  Points all;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    all.x.push_back(x[i]);
    all.y.push_back(y[i]);
  }
  const size_t count = all.x.size();
  if (count <= max_points) return all;
  Points thinned;
  for (size_t i = 0; i < max_points; ++i) {
    const auto begin = static_cast<ptrdiff_t>(i * count / max_points),
               end = static_cast<ptrdiff_t>((i + 1) * count / max_points);
    thinned.x.push_back(median({all.x.begin() + begin, all.x.begin() + end}));
    thinned.y.push_back(median({all.y.begin() + begin, all.y.begin() + end}));
  }
  return thinned;
}

}  // namespace verbund
