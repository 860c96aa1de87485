// SPDX-License-Identifier: Apache-2.0
#include "core/interval.h"

#include <algorithm>

#include "core/error.h"

namespace verbund {

Interval intersection(Interval a, Interval b) {
  const size_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

std::vector<Interval> complement(std::vector<Interval> taken, size_t size) {
  std::sort(taken.begin(), taken.end(), [](Interval a, Interval b) { return a.begin < b.begin; });
  std::vector<Interval> rest;
  size_t position = 0;
  for (const Interval interval : taken) {
    if (interval.begin > interval.end || interval.end > size) {
      fail("[{}, {}) is not inside a buffer of {} values", interval.begin, interval.end, size);
    }
    if (interval.begin > position) rest.push_back({position, interval.begin});
    position = std::max(position, interval.end);
  }
  if (position < size) rest.push_back({position, size});
  return rest;
}

}  // namespace verbund
