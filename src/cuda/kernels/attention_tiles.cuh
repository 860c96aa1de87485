// SPDX-License-Identifier: Apache-2.0
// The tiles of attention: one block of 128 threads has one head of one sentence and works on tiles of 32 rows by 32
// keys in shared memory. Thread (y, x) of 8 by 16 has rows 4 y to 4 y + 3 of a tile, and of these keys x and x + 16 or
// the features 4 x to 4 x + 3 (and those 64 further).
#pragma once

#include "dropout.cuh"
#include "groups.cuh"

constexpr int kTile = 32, kAttentionThreads = 128;
constexpr int kTileRows = 4, kTileKeys = 2;  // of a thread
constexpr int kRowLanes = 16;                // threads that share a row

// A row more than a multiple of 8 quads apart from the next: threads that read neighbouring rows have no bank conflicts.
template <int kDepth>
using RowTile = float4[kTile][kDepth / 4 + 1];    // [row][feature]
using WeightTile = float4[kTile][kTile / 4 + 1];  // [query][key]

__device__ __forceinline__ int tile_y() { return static_cast<int>(threadIdx.x) / kRowLanes; }
__device__ __forceinline__ int tile_x() { return static_cast<int>(threadIdx.x) % kRowLanes; }

struct Head {
  int queries, keys, padded;
  int64_t query_row, key_row;  // where the sentence starts
  int column;                  // where the head starts in a row
  int head;
  int64_t weights;  // [queries, padded] from here
  uint64_t sentence;
  float factor;  // depth^-0.5

  __device__ __forceinline__ explicit Head(const AttentionArguments& a) {
    const int s = static_cast<int>(blockIdx.x) / a.heads;
    head = static_cast<int>(blockIdx.x) % a.heads;
    query_row = a.query_offsets[s];
    key_row = a.key_offsets[s];
    queries = static_cast<int>(a.query_offsets[s + 1] - query_row);
    keys = static_cast<int>(a.key_offsets[s + 1] - key_row);
    padded = (keys + 15) / 16 * 16;
    column = head * a.depth;
    weights = a.weight_offsets[s] + static_cast<int64_t>(head) * queries * padded;
    sentence = a.sentence_ids[s];
    factor = 1.0f / sqrtf(static_cast<float>(a.depth));
  }
  // The keys that a query sees, and those that any of a tile's sees.
  __device__ __forceinline__ int seen(const AttentionArguments& a, int query) const {
    return query >= queries ? 0 : a.causal ? min(query + 1, keys) : keys;
  }
  __device__ __forceinline__ int seen_by_tile(const AttentionArguments& a, int first_query) const {
    return seen(a, min(first_query + kTile, queries) - 1);
  }
};

// Rows [0, rows) of one head's features into shared memory, zeros after them.
template <int kDepth>
__device__ __forceinline__ void load_tile(const AttentionArguments& a, const void* from, int64_t offset, int64_t stride,
                                          int rows, RowTile<kDepth>& tile) {
  const ComputeT* source = static_cast<const ComputeT*>(from) + offset;
  UNROLL
  for (int j = 0; j < kTile / 8; ++j) {
    const int row = tile_y() + 8 * j;
    UNROLL
    for (int m = 0; m < kDepth / 64; ++m) {
      const int quad = tile_x() + kRowLanes * m;
      float x[4] = {0, 0, 0, 0};
      if (row < rows) {
        a.vectors ? load_features<true>(source + row * stride, 4 * quad, a.depth, x)
                  : load_features<false>(source + row * stride, 4 * quad, a.depth, x);
      }
      tile[row][quad] = quad_of(x);
    }
  }
}

// The thread's part of a [32, depth] tile of sums.
template <int kDepth>
struct RowSums {
  float at[kTileRows][kDepth / 64][4];

  __device__ __forceinline__ void clear() {
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      UNROLL
      for (int m = 0; m < kDepth / 64; ++m) {
        UNROLL
        for (int c = 0; c < 4; ++c) at[i][m][c] = 0;
      }
    }
  }
  __device__ __forceinline__ void add(int i, int m, float weight, const float4& row) {
    at[i][m][0] += weight * row.x;
    at[i][m][1] += weight * row.y;
    at[i][m][2] += weight * row.z;
    at[i][m][3] += weight * row.w;
  }
  // `add_to`: the sums are added to the previous values.
  __device__ __forceinline__ void store(const AttentionArguments& a, void* to, int64_t offset, int64_t stride, int rows,
                                        bool add_to = false) {
    ComputeT* target = static_cast<ComputeT*>(to) + offset;
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      const int row = kTileRows * tile_y() + i;
      if (row >= rows) continue;
      UNROLL
      for (int m = 0; m < kDepth / 64; ++m) {
        const int feature = 4 * (tile_x() + kRowLanes * m);
        if (add_to) {
          float before[4];
          load_features<false>(target + row * stride, feature, a.depth, before);
          UNROLL
          for (int c = 0; c < 4; ++c) at[i][m][c] += before[c];
        }
        a.vectors ? store_features<true>(target + row * stride, feature, a.depth, at[i][m])
                  : store_features<false>(target + row * stride, feature, a.depth, at[i][m]);
      }
    }
  }
};

// Whether a warp, which has 8 rows of a tile, has one of the first `rows`: sentences end anywhere in a tile, and what
// is computed of rows after their end is never used.
__device__ __forceinline__ bool warp_has_rows(int rows) {
  return static_cast<int>(threadIdx.x) / kWarp * (kWarp / kRowLanes * kTileRows) < rows;
}

template <int kDepth, int kKeys>
__device__ __forceinline__ void add_inner_products(const RowTile<kDepth>& rows, const RowTile<kDepth>& keys, int depth,
                                                   float (&result)[kTileRows][kTileKeys]) {
  UNROLL_BY_4
  for (int quad = 0; quad < (depth + 3) / 4; ++quad) {
    float4 b[kKeys];
    UNROLL
    for (int j = 0; j < kKeys; ++j) b[j] = keys[tile_x() + kRowLanes * j][quad];
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      const float4 r = rows[kTileRows * tile_y() + i][quad];
      UNROLL
      for (int j = 0; j < kKeys; ++j) {
        result[i][j] += r.x * b[j].x + r.y * b[j].y + r.z * b[j].z + r.w * b[j].w;
      }
    }
  }
  COUNT_OPERATIONS(2 * kTileRows * kKeys * depth);
}

// result[i][j]: the inner product of row 4 y + i with key x + 16 j, where they are among the tile's first `row_count`
// and `key_count`.
template <int kDepth>
__device__ __forceinline__ void inner_products(const RowTile<kDepth>& rows, int row_count, const RowTile<kDepth>& keys,
                                               int key_count, int depth, float (&result)[kTileRows][kTileKeys]) {
  UNROLL
  for (int i = 0; i < kTileRows; ++i) {
    UNROLL
    for (int j = 0; j < kTileKeys; ++j) result[i][j] = 0;
  }
  if (!warp_has_rows(row_count)) return;
  key_count > kRowLanes ? add_inner_products<kDepth, kTileKeys>(rows, keys, depth, result)
                        : add_inner_products<kDepth, 1>(rows, keys, depth, result);
}

// sums += weights x rows, over keys [0, keys) of the tile, for its first `queries`.
template <int kDepth>
__device__ __forceinline__ void add_weighted_rows(const WeightTile& weights, int queries, const RowTile<kDepth>& rows,
                                                  int keys, RowSums<kDepth>& sums) {
  if (!warp_has_rows(queries)) return;
  UNROLL_BY_2
  for (int quad = 0; quad < (keys + 3) / 4; ++quad) {
    float4 w[kTileRows];
    UNROLL
    for (int i = 0; i < kTileRows; ++i) w[i] = weights[kTileRows * tile_y() + i][quad];
    UNROLL
    for (int m = 0; m < kDepth / 64; ++m) {
      const int column = tile_x() + kRowLanes * m;
      const float4 r0 = rows[4 * quad][column], r1 = rows[4 * quad + 1][column];
      const float4 r2 = rows[4 * quad + 2][column], r3 = rows[4 * quad + 3][column];
      UNROLL
      for (int i = 0; i < kTileRows; ++i) {
        sums.add(i, m, w[i].x, r0);
        sums.add(i, m, w[i].y, r1);
        sums.add(i, m, w[i].z, r2);
        sums.add(i, m, w[i].w, r3);
      }
    }
  }
  COUNT_OPERATIONS(2 * kTileRows * (kDepth / kRowLanes) * ((keys + 3) / 4 * 4));
}

// sums += transposed weights x rows, over queries [0, queries) of the tile, for its first `keys`: the thread's rows are
// keys then.
template <int kDepth>
__device__ __forceinline__ void add_rows_by_key(const WeightTile& weights, int keys, const RowTile<kDepth>& rows,
                                                int queries, RowSums<kDepth>& sums) {
  if (!warp_has_rows(keys)) return;
  UNROLL_BY_4
  for (int query = 0; query < queries; ++query) {
    const float4 w = weights[query][tile_y()];
    UNROLL
    for (int m = 0; m < kDepth / 64; ++m) {
      const float4 r = rows[query][tile_x() + kRowLanes * m];
      sums.add(0, m, w.x, r);
      sums.add(1, m, w.y, r);
      sums.add(2, m, w.z, r);
      sums.add(3, m, w.w, r);
    }
  }
  COUNT_OPERATIONS(2 * kTileRows * (kDepth / kRowLanes) * queries);
}

// The mask of kept weights: bits 8 i to 8 i + 7 are for row 4 y + i and keys x, x + 16, ... of the 128 from `first_key`
// on. The masks of a head start at block 512 head.
__device__ __forceinline__ uint32_t kept_weights(const AttentionArguments& a, const Head& head, int first_query,
                                                 int first_key) {
  if (a.mask.threshold == 0) return 0xFFFFFFFFu;
  const uint32_t block = static_cast<uint32_t>(head.head) * 512u + static_cast<uint32_t>(first_key / 128);
  uint32_t kept = 0;
  UNROLL
  for (int i = 0; i < kTileRows; ++i) {
    const auto query = static_cast<uint32_t>(first_query + kTileRows * tile_y() + i);
    kept |= kept_by_counter(a.mask, head.sentence, query, block, static_cast<uint32_t>(tile_x())) << (8 * i);
  }
  return kept;
}
__device__ __forceinline__ float weight_mask(const AttentionArguments& a, uint32_t kept, int first_key, int i, int j) {
  return kept >> (8 * i + first_key % 128 / 16 + j) & 1u ? a.mask.scale : 0.0f;
}

__device__ __forceinline__ float& weight_at(WeightTile& tile, int i, int j) {
  return reinterpret_cast<float*>(tile[kTileRows * tile_y() + i])[tile_x() + kRowLanes * j];
}
