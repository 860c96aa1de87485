// SPDX-License-Identifier: Apache-2.0
// Gradients of attention. With w the weights, m their dropout mask and p = output gradient x value: the gradient of the
// scores is w (m p - shift), where shift is the row's sum of w m p. First the queries' gradients, tile by tile of
// queries, which finds the shifts; then the keys' and values', tile by tile of keys. No two threads add to one number.
#pragma once

#include "attention_tiles.cuh"

// Shifts are kept for so many queries. Longer sentences are taken in parts, each of which adds to the gradients of keys
// and values.
constexpr int kPartQueries = 512;

template <int kDepth>
struct AttentionGradient {
  const AttentionArguments& a;
  const Head head;
  RowTile<kDepth>& queries;  // output gradients, then queries
  RowTile<kDepth>& keys;     // values, then keys
  WeightTile& used;          // weights times mask
  WeightTile& score_gradients;
  float* shifts;  // [kPartQueries]
  int64_t width;

  // The thread's part of one tile.
  float weight[kTileRows][kTileKeys];    // w
  float gradient[kTileRows][kTileKeys];  // m p
  float mask[kTileRows][kTileKeys];

  __device__ __forceinline__ void load_output_gradients(int q0) {
    load_tile<kDepth>(a, a.output_gradient, (head.query_row + q0) * width + head.column, width, head.queries - q0,
                      queries);
  }
  __device__ __forceinline__ void load_queries(int q0) {
    load_tile<kDepth>(a, a.query, (head.query_row + q0) * a.query_stride + head.column, a.query_stride,
                      head.queries - q0, queries);
  }
  __device__ __forceinline__ void load_keys(const void* from, int k0) {
    load_tile<kDepth>(a, from, (head.key_row + k0) * a.key_stride + head.column, a.key_stride, head.keys - k0, keys);
  }

  // Computes them from the output gradients and values in shared memory.
  __device__ __forceinline__ void weight_gradients(int q0, int k0) {
    inner_products<kDepth>(queries, head.queries - q0, keys, head.seen_by_tile(a, q0) - k0, a.depth, gradient);
    const uint32_t kept = kept_weights(a, head, q0, k0);
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      const int query = q0 + kTileRows * tile_y() + i;
      const int seen = head.seen(a, query);
      const float* row = a.weights + head.weights + static_cast<int64_t>(query) * head.padded;
      UNROLL
      for (int j = 0; j < kTileKeys; ++j) {
        const int key = k0 + tile_x() + kRowLanes * j;
        weight[i][j] = key < seen ? row[key] : 0.0f;
        mask[i][j] = weight_mask(a, kept, k0, i, j);
        gradient[i][j] *= mask[i][j];
      }
    }
  }
  __device__ __forceinline__ void share_tile(const float (&shift)[kTileRows]) {
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      UNROLL
      for (int j = 0; j < kTileKeys; ++j) {
        weight_at(used, i, j) = weight[i][j] * mask[i][j];
        weight_at(score_gradients, i, j) = weight[i][j] * (gradient[i][j] - shift[i]) * head.factor;
      }
    }
  }

  // The gradients of a tile of queries. Leaves its output gradients and, of its last tile of keys, `used` and
  // `score_gradients` in shared memory.
  __device__ __forceinline__ void query_tile(int part, int q0) {
    const int end = head.seen_by_tile(a, q0);
    float shift[kTileRows] = {0, 0, 0, 0};
    __syncthreads();
    load_output_gradients(q0);
    for (int k0 = 0; k0 < end; k0 += kTile) {
      if (k0 > 0) __syncthreads();
      load_keys(a.value, k0);
      __syncthreads();
      weight_gradients(q0, k0);
      UNROLL
      for (int i = 0; i < kTileRows; ++i) {
        UNROLL
        for (int j = 0; j < kTileKeys; ++j) shift[i] += gradient[i][j] * weight[i][j];
      }
    }
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      shift[i] = group_sum(shift[i], kRowLanes);
      if (tile_x() == 0) shifts[q0 - part + kTileRows * tile_y() + i] = shift[i];
    }
    RowSums<kDepth> sums;
    sums.clear();
    for (int k0 = 0; k0 < end; k0 += kTile) {
      if (end > kTile) {
        __syncthreads();
        load_keys(a.value, k0);
        __syncthreads();
        weight_gradients(q0, k0);
      }
      share_tile(shift);
      __syncthreads();
      load_keys(a.key, k0);
      __syncthreads();
      add_weighted_rows<kDepth>(score_gradients, head.queries - q0, keys, min(kTile, end - k0), sums);
    }
    sums.store(a, a.query_gradient, (head.query_row + q0) * a.query_stride + head.column, a.query_stride,
               head.queries - q0);
  }

  // The gradients of a tile of keys and values from the queries [part, part_end). `ready`: the only tile of queries has
  // left its output gradients, `used` and `score_gradients`.
  __device__ __forceinline__ void key_tile(int part, int part_end, int k0, bool ready) {
    RowSums<kDepth> of_keys, of_values;
    of_keys.clear();
    of_values.clear();
    for (int q0 = part; q0 < part_end; q0 += kTile) {
      if (k0 >= head.seen_by_tile(a, q0)) continue;
      if (!ready) {
        __syncthreads();
        load_output_gradients(q0);
        load_keys(a.value, k0);
        __syncthreads();
        weight_gradients(q0, k0);
        float shift[kTileRows];
        UNROLL
        for (int i = 0; i < kTileRows; ++i) shift[i] = shifts[q0 - part + kTileRows * tile_y() + i];
        share_tile(shift);
        __syncthreads();
      }
      const int count = min(kTile, part_end - q0);
      add_rows_by_key<kDepth>(used, head.keys - k0, queries, count, of_values);
      __syncthreads();
      load_queries(q0);
      __syncthreads();
      add_rows_by_key<kDepth>(score_gradients, head.keys - k0, queries, count, of_keys);
    }
    const int64_t at = (head.key_row + k0) * a.key_stride + head.column;
    of_values.store(a, a.value_gradient, at, a.key_stride, head.keys - k0, part > 0);
    of_keys.store(a, a.key_gradient, at, a.key_stride, head.keys - k0, part > 0);
  }

  __device__ __forceinline__ void run() {
    const bool single = head.queries > 0 && head.queries <= kTile && head.keys <= kTile;
    int part = 0;
    do {
      const int part_end = min(part + kPartQueries, head.queries);
      for (int q0 = part; q0 < part_end; q0 += kTile) query_tile(part, q0);
      __syncthreads();
      for (int k0 = 0; k0 < head.keys; k0 += kTile) key_tile(part, part_end, k0, single);
      part += kPartQueries;
    } while (part < head.queries);
  }
};

template <int kDepth>
__device__ __forceinline__ void attend_backward(const AttentionArguments& a, RowTile<kDepth>& queries,
                                                RowTile<kDepth>& keys, WeightTile& used, WeightTile& score_gradients,
                                                float* shifts) {
  AttentionGradient<kDepth> gradient{a,    Head(a),         queries, keys,
                                     used, score_gradients, shifts,  static_cast<int64_t>(a.heads) * a.depth};
  gradient.run();
}

KERNEL_OF(128, 2, attention_backward_64)(AttentionArguments a) {
  SHARED(float4, queries, [kTile][64 / 4 + 1]);
  SHARED(float4, keys, [kTile][64 / 4 + 1]);
  SHARED(float4, used, [kTile][kTile / 4 + 1]);
  SHARED(float4, score_gradients, [kTile][kTile / 4 + 1]);
  SHARED(float, shifts, [kPartQueries]);
  attend_backward<64>(a, queries, keys, used, score_gradients, shifts);
}
KERNEL_OF(128, 2, attention_backward_128)(AttentionArguments a) {
  SHARED(float4, queries, [kTile][128 / 4 + 1]);
  SHARED(float4, keys, [kTile][128 / 4 + 1]);
  SHARED(float4, used, [kTile][kTile / 4 + 1]);
  SHARED(float4, score_gradients, [kTile][kTile / 4 + 1]);
  SHARED(float, shifts, [kPartQueries]);
  attend_backward<128>(a, queries, keys, used, score_gradients, shifts);
}
