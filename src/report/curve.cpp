#include "report/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace verbund {

std::vector<Bucket> into_buckets(const std::vector<double>& x, const std::vector<double>& y, size_t count) {
  const size_t size = std::min(x.size(), y.size());
  const size_t values_each = std::max<size_t>(1, (size + count - 1) / std::max<size_t>(1, count));
  std::vector<Bucket> buckets;
  size_t in_bucket = values_each;  // full: the first value begins a new one
  bool gap = false;
  for (size_t i = 0; i < size; ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      gap = true;
      continue;
    }
    if (in_bucket == values_each || gap) {
      buckets.push_back({x[i], y[i], y[i], y[i], gap && !buckets.empty()});
      in_bucket = 0;
      gap = false;
    }
    Bucket& bucket = buckets.back();
    bucket.x = x[i];
    bucket.low = std::min(bucket.low, y[i]);
    bucket.high = std::max(bucket.high, y[i]);
    bucket.last = y[i];
    ++in_bucket;
  }
  return buckets;
}

std::vector<double> smoothed(const std::vector<double>& y, double decay) {
  std::vector<double> result;
  result.reserve(y.size());
  double sum = 0, weight = 0;
  for (const double value : y) {
    if (!std::isfinite(value)) {
      result.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    sum = decay * sum + value;
    weight = decay * weight + 1;
    result.push_back(sum / weight);
  }
  return result;
}

bool is_noisy(const std::vector<double>& y) {
  size_t turns = 0, differences = 0;
  double previous = 0, before = std::numeric_limits<double>::quiet_NaN();
  for (const double value : y) {
    if (!std::isfinite(value)) continue;
    const double difference = value - before;
    before = value;
    if (!std::isfinite(difference) || difference == 0) continue;
    ++differences;
    if (difference * previous < 0) ++turns;
    previous = difference;
  }
  return differences >= 30 && 4 * turns > differences;
}

}  // namespace verbund
