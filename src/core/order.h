// SPDX-License-Identifier: Apache-2.0
// largest_first sorts indices by a key, so that similar items become neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace verbund {

// The numbers 0 .. count - 1 by descending key(number); the sort is stable.
template <typename Key>
std::vector<size_t> largest_first(size_t count, Key key) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) > key(b); });
  return order;
}

}  // namespace verbund
