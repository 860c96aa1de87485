// SPDX-License-Identifier: Apache-2.0
// Vectors of floats by the compiler's vector extension, and rows of them: 16 lanes whatever the instruction set, which
// become one, two or four registers. Included by the files of this folder only, each of which is compiled once per
// instruction set with VERBUND_SIMD_NAME as its namespace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/kernels.h"

namespace verbund::VERBUND_SIMD_NAME {

constexpr int64_t kLanes = 16;
using Vector = float __attribute__((vector_size(64)));
using Integers = int32_t __attribute__((vector_size(64)));
using Bits = uint32_t __attribute__((vector_size(64)));

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof(v)); }
inline Vector broadcast(float x) { return x - Vector{}; }  // "+ 0" would have to mind -0

// The first `count` lanes of a row's end; the others are 0.
inline Vector load_some(const float* from, int64_t count) {
  Vector v = {};
  std::memcpy(&v, from, static_cast<size_t>(count) * sizeof(float));
  return v;
}
inline void store_some(float* to, Vector v, int64_t count) {
  std::memcpy(to, &v, static_cast<size_t>(count) * sizeof(float));
}

inline float sum(Vector v) {  // in a fixed order: halves, quarters, ...
  v += __builtin_shuffle(v, Integers{8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7});
  v += __builtin_shuffle(v, Integers{4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11});
  v += __builtin_shuffle(v, Integers{2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13});
  return v[0] + v[1];
}

inline float largest(Vector v) {
  float x[kLanes];
  std::memcpy(x, &v, sizeof(v));
  float result = x[0];
  for (int i = 1; i < kLanes; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

// b where a is not a number: pass the one that may be NaN as b, so that it is passed on and seen.
inline Vector maximum(Vector a, Vector b) { return a > b ? a : b; }

// e^x to about 1 ulp for x <= 0, which is all that softmax needs; below -87 it is 0.
inline Vector exponential(Vector x) {
  const Vector clipped = maximum(broadcast(-87.3f), x);
  // x = k ln 2 + r with |r| <= ln 2 / 2; adding 1.5 2^23 rounds to a whole number.
  const Vector shifted = clipped * 1.44269504088896341f + 12582912.0f;
  const Vector k = shifted - 12582912.0f;
  const Vector r = (clipped - k * 0.693145751953125f) - k * 1.428606765330187e-6f;
  Vector p = broadcast(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  const Bits power = (bits << 23) + 0x3F800000;  // 2^k
  Vector scale;
  std::memcpy(&scale, &power, sizeof(scale));
  const Vector result = p * scale;
  return x < -87.3f ? Vector{} : result;
}

// Sums over rows do not depend on the number of threads: the rows are cut into a fixed number of blocks, each block
// sums by itself, and the blocks are added in order.
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
