// SPDX-License-Identifier: Apache-2.0
// Sums over rows: the rows are cut into 32 blocks (as on the CPU), a block of threads
// sums 128 columns of one of them, and its warps process rows in turn. Their sums are added in order, here and in
// add_partials.
#pragma once

#include "dropout.cuh"
#include "groups.cuh"

constexpr int kRowBlocks = 32, kTileColumns = 128;
using TileBoard = float4[kBlockWarps][kWarp];

struct RowBlock {
  int64_t first, end;  // this warp's rows, 8 apart
  int column;          // this thread's first of four

  __device__ __forceinline__ explicit RowBlock(int64_t n) {
    first = n * blockIdx.y / kRowBlocks + threadIdx.x / kWarp;
    end = n * (blockIdx.y + 1) / kRowBlocks;
    column = static_cast<int>(blockIdx.x) * kTileColumns + static_cast<int>(threadIdx.x) % kWarp * 4;
  }
};

// Adds up what each warp has of 4 columns per thread and stores it at `to`, the tile's part of an array of d.
// `board` is free again afterwards.
__device__ __forceinline__ void store_tile_sums(const float* sums, TileBoard& board, float* to, int d) {
  board[threadIdx.x / kWarp][threadIdx.x % kWarp] = quad_of(sums);
  __syncthreads();
  const int thread = threadIdx.x, column = static_cast<int>(blockIdx.x) * kTileColumns + thread;
  if (thread < kTileColumns && column < d) {
    float total = 0;
    for (int warp = 0; warp < kBlockWarps; ++warp) total += reinterpret_cast<const float*>(board[warp])[thread];
    to[column] = total;
  }
  __syncthreads();
}

template <bool kVector>
__device__ __forceinline__ void column_sums_tile(const ColumnSumsArguments& a, TileBoard& board) {
  const RowBlock my(a.n);
  float sums[4] = {0, 0, 0, 0};
  for (int64_t row = my.first; row < my.end; row += kBlockWarps) {
    float x[4];
    load_features<kVector>(static_cast<const ComputeT*>(a.x) + row * a.d, my.column, a.d, x);
    UNROLL
    for (int c = 0; c < 4; ++c) sums[c] += x[c];
  }
  const int64_t at = (static_cast<int64_t>(blockIdx.y) * a.arrays + a.array) * a.d;
  store_tile_sums(sums, board, a.partial_sums + at, a.d);
}

KERNEL(column_sums)(ColumnSumsArguments a) {
  SHARED(float4, board, [kBlockWarps][kWarp]);
  a.vectors ? column_sums_tile<true>(a, board) : column_sums_tile<false>(a, board);
}

// The gradients of a norm's scale and bias: arrays 0 and 1 of three.
template <bool kVector>
__device__ __forceinline__ void norm_sums_tile(const NormBackwardArguments& a, TileBoard& board) {
  const RowBlock my(a.n);
  float of_scale[4] = {0, 0, 0, 0}, of_bias[4] = {0, 0, 0, 0};
  for (int64_t row = my.first; row < my.end; row += kBlockWarps) {
    float dy[4], x[4];
    load_features<kVector>(a.normed_gradient + row * a.d, my.column, a.d, dy);
    load_features<kVector>(a.sum + row * a.d, my.column, a.d, x);
    const float mean = a.mean[row], inverse = a.inverse_deviation[row];
    UNROLL
    for (int c = 0; c < 4; ++c) {
      of_scale[c] += dy[c] * ((x[c] - mean) * inverse);
      of_bias[c] += dy[c];
    }
  }
  float* to = a.partial_sums + static_cast<int64_t>(blockIdx.y) * 3 * a.d;
  store_tile_sums(of_scale, board, to, a.d);
  store_tile_sums(of_bias, board, to + a.d, a.d);
}

KERNEL(norm_sums)(NormBackwardArguments a) {
  SHARED(float4, board, [kBlockWarps][kWarp]);
  a.vectors ? norm_sums_tile<true>(a, board) : norm_sums_tile<false>(a, board);
}

// One thread per column, its partial sums in order.
KERNEL(add_partials)(AddPartialsArguments a) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= a.d) return;
  UNROLL
  for (int array = 0; array < 3; ++array) {
    if (array >= a.arrays || a.sums[array] == nullptr) continue;
    float total = 0;
    UNROLL
    for (int block = 0; block < kRowBlocks; ++block) {
      total += a.partial_sums[(static_cast<int64_t>(block) * a.arrays + array) * a.d + column];
    }
    a.sums[array][column] += total;
  }
}
