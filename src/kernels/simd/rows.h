// Sums over rows that do not depend on the number of threads: the rows are cut into a fixed
// number of blocks, each block sums by itself, and the blocks are added in order.
#pragma once

#include <algorithm>

#include "kernels/simd/vector.h"

namespace verbund::VERBUND_SIMD_NAME {

constexpr int64_t kRowBlocks = 32;

inline int64_t block_begin(int64_t n, int64_t block) { return n * block / kRowBlocks; }

// Calls f(first feature, number of lanes) for each vector of a row of d features.
template <typename F>
inline void for_vectors(int64_t d, F f) {
  int64_t i = 0;
  for (; i + kLanes <= d; i += kLanes) f(i, kLanes);
  if (i < d) f(i, d - i);
}

inline Vector get(const float* row, int64_t i, int64_t count) {
  return count == kLanes ? load(row + i) : load_some(row + i, count);
}
inline void put(float* row, int64_t i, int64_t count, Vector v) {
  count == kLanes ? store(row + i, v) : store_some(row + i, v, count);
}

// sums[i] += partial[0][i] + partial[1][i] + ...
inline void add_blocks(int64_t d, const float* partial, int64_t stride, float* sums) {
  for_vectors(d, [&](int64_t i, int64_t count) {
    Vector total = {};
    for (int64_t block = 0; block < kRowBlocks; ++block) total += get(partial + block * stride, i, count);
    put(sums, i, count, get(sums, i, count) + total);
  });
}

}  // namespace verbund::VERBUND_SIMD_NAME
