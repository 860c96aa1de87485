// SPDX-License-Identifier: Apache-2.0
// Attention of each sentence by itself over packed rows: scores, softmax, dropout and the weighted sum of values. The
// weights go to memory, for backward; scores wait there while a sentence has more than one tile of keys.
#pragma once

#include "attention_tiles.cuh"

constexpr float kLowest = -3e38f;

template <int kDepth>
__device__ __forceinline__ void attend(const AttentionArguments& a, RowTile<kDepth>& queries, RowTile<kDepth>& keys,
                                       WeightTile& weights) {
  const Head head(a);
  // Blocks that share a head take its tiles of queries in turn.
  for (int q0 = static_cast<int>(blockIdx.y) * kTile; q0 < head.queries; q0 += static_cast<int>(gridDim.y) * kTile) {
    float* row[kTileRows];
    int seen[kTileRows];
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      const int query = q0 + kTileRows * tile_y() + i;
      row[i] = a.weights + head.weights + static_cast<int64_t>(query) * head.padded + tile_x();
      seen[i] = head.seen(a, query);
    }
    const int end = head.seen_by_tile(a, q0);
    const bool once = end <= kTile;
    __syncthreads();
    load_tile<kDepth>(a, a.query, (head.query_row + q0) * a.query_stride + head.column, a.query_stride,
                      head.queries - q0, queries);

    // Each thread has the largest of its scores and the sum of their exponentials relative to it.
    float score[kTileRows][kTileKeys], highest[kTileRows], total[kTileRows];
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      highest[i] = kLowest;
      total[i] = 0;
    }
    for (int k0 = 0; k0 < end; k0 += kTile) {
      if (k0 > 0) __syncthreads();
      load_tile<kDepth>(a, a.key, (head.key_row + k0) * a.key_stride + head.column, a.key_stride, head.keys - k0, keys);
      __syncthreads();
      inner_products<kDepth>(queries, head.queries - q0, keys, end - k0, a.depth, score);
      UNROLL
      for (int i = 0; i < kTileRows; ++i) {
        UNROLL
        for (int j = 0; j < kTileKeys; ++j) {
          score[i][j] *= head.factor;
          const int at = k0 + kRowLanes * j;
          if (at + tile_x() >= seen[i]) continue;
          if (!once) row[i][at] = score[i][j];
          const float before = highest[i];
          highest[i] = fmaxf(before, score[i][j]);
          total[i] = total[i] * expf(before - highest[i]) + expf(score[i][j] - highest[i]);
        }
      }
    }
    UNROLL
    for (int i = 0; i < kTileRows; ++i) {
      const float own = highest[i];
      highest[i] = group_max(own, kRowLanes);
      total[i] = 1.0f / group_sum(total[i] * expf(own - highest[i]), kRowLanes);
    }

    RowSums<kDepth> output;
    output.clear();
    uint32_t kept = 0;
    for (int k0 = 0; k0 < head.padded; k0 += kTile) {
      const bool any = k0 < end;
      if (any) {
        __syncthreads();
        load_tile<kDepth>(a, a.value, (head.key_row + k0) * a.key_stride + head.column, a.key_stride, head.keys - k0,
                          keys);
        if (k0 % 128 == 0) kept = kept_weights(a, head, q0, k0);
      }
      UNROLL
      for (int i = 0; i < kTileRows; ++i) {
        UNROLL
        for (int j = 0; j < kTileKeys; ++j) {
          const int at = k0 + kRowLanes * j;
          float weight = 0;
          if (at + tile_x() < seen[i]) weight = expf((once ? score[i][j] : row[i][at]) - highest[i]) * total[i];
          if (at < head.padded && q0 + kTileRows * tile_y() + i < head.queries) row[i][at] = weight;
          if (any) weight_at(weights, i, j) = weight * weight_mask(a, kept, k0, i, j);
        }
      }
      if (!any) continue;
      __syncthreads();
      add_weighted_rows<kDepth>(weights, head.queries - q0, keys, min(kTile, end - k0), output);
    }
    const int64_t width = static_cast<int64_t>(a.heads) * a.depth;
    output.store(a, a.output, (head.query_row + q0) * width + head.column, width, head.queries - q0);
  }
}

// Kernels for heads of up to 64 features, and of up to 128.
KERNEL_OF(128, 2, attention_forward_64)(AttentionArguments a) {
  SHARED(float4, queries, [kTile][64 / 4 + 1]);
  SHARED(float4, keys, [kTile][64 / 4 + 1]);
  SHARED(float4, weights, [kTile][kTile / 4 + 1]);
  attend<64>(a, queries, keys, weights);
}
KERNEL_OF(128, 2, attention_forward_128)(AttentionArguments a) {
  SHARED(float4, queries, [kTile][128 / 4 + 1]);
  SHARED(float4, keys, [kTile][128 / 4 + 1]);
  SHARED(float4, weights, [kTile][kTile / 4 + 1]);
  attend<128>(a, queries, keys, weights);
}
