// SPDX-License-Identifier: Apache-2.0
// Sums and maxima over the threads of a warp, of a part of it, and of a block: in a fixed order, so that the bits are
// the same on every run. All threads must take part.
#pragma once

#include "numbers.cuh"

constexpr unsigned kAllLanes = 0xFFFFFFFFu;
constexpr int kWarp = 32;

// Over groups of `threads` neighbouring lanes, a power of 2; each lane gets the result.
template <typename T>
__device__ __forceinline__ T group_sum(T x, int threads) {
  for (int step = threads / 2; step > 0; step /= 2) x += __shfl_xor_sync(kAllLanes, x, step);
  return x;
}
__device__ __forceinline__ float group_max(float x, int threads) {
  for (int step = threads / 2; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, step));
  return x;
}

constexpr int kBlockThreads = 256;
constexpr int kBlockWarps = kBlockThreads / kWarp;

// Over a block of kWarps warps; `board` is shared memory for a value of each, and free again afterwards.
template <int kWarps = kBlockWarps, typename T>
__device__ __forceinline__ T block_sum(T x, T* board) {
  x = group_sum(x, kWarp);
  if (threadIdx.x % kWarp == 0) board[threadIdx.x / kWarp] = x;
  __syncthreads();
  T total = board[0];
  for (int warp = 1; warp < kWarps; ++warp) total += board[warp];
  __syncthreads();
  return total;
}
template <int kWarps = kBlockWarps>
__device__ __forceinline__ float block_max(float x, float* board) {
  x = group_max(x, kWarp);
  if (threadIdx.x % kWarp == 0) board[threadIdx.x / kWarp] = x;
  __syncthreads();
  float highest = board[0];
  for (int warp = 1; warp < kWarps; ++warp) highest = fmaxf(highest, board[warp]);
  __syncthreads();
  return highest;
}

// A value and its number: of equal values the lower number comes first.
struct Numbered {
  float value;
  int32_t number;
};
__device__ __forceinline__ bool precedes(const Numbered& a, const Numbered& b) {
  return a.value > b.value || (a.value == b.value && a.number < b.number);
}
constexpr int32_t kNoNumber = 0x7FFFFFFF;  // after all others

__device__ __forceinline__ Numbered block_first(Numbered x, Numbered* board) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    Numbered other;
    other.value = __shfl_xor_sync(kAllLanes, x.value, step);
    other.number = __shfl_xor_sync(kAllLanes, x.number, step);
    if (precedes(other, x)) x = other;
  }
  if (threadIdx.x % kWarp == 0) board[threadIdx.x / kWarp] = x;
  __syncthreads();
  Numbered first = board[0];
  for (int warp = 1; warp < kBlockWarps; ++warp) {
    if (precedes(board[warp], first)) first = board[warp];
  }
  __syncthreads();
  return first;
}
