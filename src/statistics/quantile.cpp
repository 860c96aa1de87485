#include "statistics/quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace verbund {

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

Bounds middle(std::vector<double> values, double coverage) {
  return {quantile(values, (1 - coverage) / 2), quantile(values, (1 + coverage) / 2)};
}

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> kept;
  kept.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](double v) { return std::isfinite(v); });
  return kept;
}

}  // namespace verbund
