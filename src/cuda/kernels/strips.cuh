// SPDX-License-Identifier: Apache-2.0
// A strip is the part of a row that one thread works on: the 32 features that four counters of dropout decide over.
//
// Strip u of a row has features 128 (u / 4) + 16 k + 4 (u % 4) + c for k < 8, c < 4: four strips lie side by side, four
// neighbours are loaded at a time, and no decision is made twice.
#pragma once

#include "dropout.cuh"
#include "numbers.cuh"

constexpr int kStripQuads = 8;

__device__ __forceinline__ int strips_of(int d) { return (d + 127) / 128 * 4; }
__device__ __forceinline__ int strip_feature(int strip, int k) { return strip / 4 * 128 + strip % 4 * 4 + 16 * k; }

// Bit 4 k + c is set if the feature is kept.
__device__ __forceinline__ uint32_t kept_in_strip(const MaskKey& key, const MaskPosition* positions, int64_t row,
                                                  int strip) {
  if (key.threshold == 0) return 0xFFFFFFFFu;
  const MaskPosition at = positions[row];
  uint32_t kept = 0;
  UNROLL
  for (int c = 0; c < 4; ++c) {
    const uint32_t decisions = kept_by_counter(key, at.sentence, at.position, static_cast<uint32_t>(strip / 4),
                                               static_cast<uint32_t>(strip % 4 * 4 + c));
    UNROLL
    for (int k = 0; k < kStripQuads; ++k) kept |= (decisions >> k & 1u) << (4 * k + c);
  }
  return kept;
}
__device__ __forceinline__ float mask_of(const MaskKey& key, uint32_t kept, int k, int c) {
  return kept >> (4 * k + c) & 1u ? key.scale : 0.0f;
}

// A strip's numbers. What is loaded is loaded before anything is stored: the compiler must assume that a store changes
// what comes after it, and would wait for each load by itself.
using Strip = float[kStripQuads][4];

template <bool kVector, typename T>
__device__ __forceinline__ void load_strip(const T* row, int strip, int d, Strip& x) {
  UNROLL
  for (int k = 0; k < kStripQuads; ++k) load_features<kVector>(row, strip_feature(strip, k), d, x[k]);
}
template <bool kVector, typename T>
__device__ __forceinline__ void store_strip(T* row, int strip, int d, const Strip& x) {
  UNROLL
  for (int k = 0; k < kStripQuads; ++k) store_features<kVector>(row, strip_feature(strip, k), d, x[k]);
}
template <bool kVector, typename T>
__device__ __forceinline__ void add_to_strip(const T* row, int strip, int d, Strip& x) {
  UNROLL
  for (int k = 0; k < kStripQuads; ++k) {
    float other[4];
    load_features<kVector>(row, strip_feature(strip, k), d, other);
    UNROLL
    for (int c = 0; c < 4; ++c) x[k][c] += other[c];
  }
}
// x[k][c] = f(x[k][c], k, c)
template <typename F>
__device__ __forceinline__ void change_strip(Strip& x, F f) {
  UNROLL
  for (int k = 0; k < kStripQuads; ++k) {
    UNROLL
    for (int c = 0; c < 4; ++c) x[k][c] = f(x[k][c], k, c);
  }
}

constexpr int kStripThreads = 256;

// The row and strip of a thread, where rows are independent of each other.
struct StripOf {
  int64_t row;
  int strip;

  __device__ __forceinline__ explicit StripOf(int d) {
    const int strips = strips_of(d);
    const int64_t number = static_cast<int64_t>(blockIdx.x) * kStripThreads + threadIdx.x;
    row = number / strips;
    strip = static_cast<int>(number - row * strips);
  }
};
