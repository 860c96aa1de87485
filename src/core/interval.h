// SPDX-License-Identifier: Apache-2.0
// Interval is a half-open part [begin, end) of a flat buffer.
#pragma once

#include <cstddef>
#include <vector>

namespace verbund {

struct Interval {
  size_t begin = 0;
  size_t end = 0;

  size_t size() const { return end > begin ? end - begin : 0; }
  bool operator==(const Interval&) const = default;
};

// The common part; of size 0 if there is none.
Interval intersection(Interval a, Interval b);

// The parts of [0, size) that are in none of `taken`, in order. `taken` may overlap and have any order; an interval
// that leaves [0, size) is refused.
std::vector<Interval> complement(std::vector<Interval> taken, size_t size);

}  // namespace verbund
