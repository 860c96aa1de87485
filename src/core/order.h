// The order in which to take things so that like ones are neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace verbund {

// The numbers 0 .. count - 1 by falling key(number); equals stay as they are.
template <typename Key>
std::vector<size_t> largest_first(size_t count, Key key) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) > key(b); });
  return order;
}

}  // namespace verbund
