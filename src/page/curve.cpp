// SPDX-License-Identifier: Apache-2.0
#include "page/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace verbund {

std::vector<Bucket> into_buckets(const std::vector<double>& x, const std::vector<double>& y, size_t count) {
  const size_t size = std::min(x.size(), y.size());
  const size_t values_each = std::max<size_t>(1, (size + count - 1) / std::max<size_t>(1, count));
  std::vector<Bucket> buckets;
  size_t in_bucket = values_each;  // full: the first value begins a new bucket
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

std::vector<double> smoothed(const std::vector<double>& y, size_t reach) {
  std::vector<double> sums = {0};  // prefix sums of the finite values
  std::vector<size_t> counts = {0};
  for (const double value : y) {
    const bool counts_too = std::isfinite(value);
    sums.push_back(sums.back() + (counts_too ? value : 0));
    counts.push_back(counts.back() + (counts_too ? 1 : 0));
  }
  std::vector<double> result(y.size(), std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i])) continue;
    const size_t width = std::min({reach, i, y.size() - 1 - i}), begin = i - width, end = i + width + 1;
    result[i] = (sums[end] - sums[begin]) / static_cast<double>(counts[end] - counts[begin]);
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

std::optional<SeriesRange> range_of(const Series& series) {
  const std::vector<Bucket> buckets = into_buckets(series.x, series.y, 1);
  if (buckets.empty()) return std::nullopt;
  SeriesRange range = {buckets[0].low, buckets[0].high, buckets.back().last};
  for (const Bucket& bucket : buckets) {
    range.low = std::min(range.low, bucket.low);
    range.high = std::max(range.high, bucket.high);
  }
  return range;
}

}  // namespace verbund
