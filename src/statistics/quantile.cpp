// SPDX-License-Identifier: Apache-2.0
#include "statistics/quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace verbund {
namespace {

// Finds where a rising function reaches `target`. Both quantiles lie within a few hundred unless the share is close to
// 0 or 1.
template <typename Function>
double solve(Function rising, double target) {
  double low = -1, high = 1;
  while (rising(low) > target && low > -1e9) low *= 2;
  while (rising(high) < target && high < 1e9) high *= 2;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (rising(middle) < target ? low : high) = middle;
  }
  return (low + high) / 2;
}

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int m = 1; m < 300; ++m) {
    for (const double term : {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                              -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))}) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      if (std::abs(c) < kTiny) c = kTiny;
      result *= c * d;
    }
    if (std::abs(c * d - 1) < 1e-14) break;
  }
  return result;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(1 - x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto nth = values.begin() + static_cast<ptrdiff_t>(below);
  std::nth_element(values.begin(), nth, values.end());
  if (below + 1 == values.size()) return *nth;
  const double above = *std::min_element(nth + 1, values.end());
  return *nth + (place - static_cast<double>(below)) * (above - *nth);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double mean(std::span<const double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Bounds middle(const std::vector<double>& values, double coverage) {
  return {quantile(values, (1 - coverage) / 2), quantile(values, (1 + coverage) / 2)};
}

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> kept;
  kept.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](double v) { return std::isfinite(v); });
  return kept;
}

double normal_cumulative(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double normal_quantile(double share) { return solve(normal_cumulative, share); }

double student_cumulative(double t, double degrees) {
  const double tail = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_quantile(double share, double degrees) {
  return solve([&](double t) { return student_cumulative(t, degrees); }, share);
}

}  // namespace verbund
