// SPDX-License-Identifier: Apache-2.0
#include "statistics/two_samples.h"

#include <cmath>
#include <limits>

#include "statistics/quantile.h"

namespace verbund {
namespace {

double sample_variance(std::span<const double> values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return squares / static_cast<double>(values.size() - 1);
}

}  // namespace

double deviation(std::span<const double> values) {
  return values.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(sample_variance(values));
}

double welch_test(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty() || first.size() + second.size() < 3) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const std::span<const double> one_varies = first.size() > 1 ? first : second;
  const std::span<const double> other_varies = second.size() > 1 ? second : first;
  const auto n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  const double a = sample_variance(one_varies) / n, b = sample_variance(other_varies) / m;  // of the means
  if (a + b == 0) return std::numeric_limits<double>::quiet_NaN();
  const double t = std::abs(mean(first) - mean(second)) / std::sqrt(a + b);
  const double degrees = n == 1 ? m - 1 : m == 1 ? n - 1 : (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1));
  return 2 * student_cumulative(-t, degrees);
}

}  // namespace verbund
