// SPDX-License-Identifier: Apache-2.0
// ReLU with bias and dropout, biases, and embeddings with positions and dropout.
#pragma once

#include "column_sums.cuh"
#include "strips.cuh"

template <bool kVector>
__device__ __forceinline__ void relu_forward_strip(const ReluForwardArguments& a) {
  const StripOf my(a.f);
  if (my.row >= a.n) return;
  ComputeT* row = static_cast<ComputeT*>(a.x) + my.row * a.f;
  const uint32_t kept = kept_in_strip(a.key, a.token_positions, my.row, my.strip);
  Strip x;
  load_strip<kVector>(row, my.strip, a.f, x);
  if (a.bias != nullptr) add_to_strip<kVector>(a.bias, my.strip, a.f, x);
  // A NaN stays one.
  change_strip(x, [&](float v, int k, int c) { return (0.0f > v ? 0.0f : v) * mask_of(a.key, kept, k, c); });
  store_strip<kVector>(row, my.strip, a.f, x);
}

KERNEL(relu_forward)(ReluForwardArguments a) { a.vectors ? relu_forward_strip<true>(a) : relu_forward_strip<false>(a); }

// An output above 0 was neither cut by the ReLU nor dropped.
template <bool kVector>
__device__ __forceinline__ void relu_backward_tile(const ReluBackwardArguments& a, TileBoard& board) {
  const RowBlock my(a.n);
  float sums[4] = {0, 0, 0, 0};
  for (int64_t row = my.first; row < my.end; row += kBlockWarps) {
    float output[4], g[4];
    ComputeT* gradient = static_cast<ComputeT*>(a.gradient) + row * a.f;
    load_features<kVector>(static_cast<const ComputeT*>(a.output) + row * a.f, my.column, a.f, output);
    load_features<kVector>(gradient, my.column, a.f, g);
    UNROLL
    for (int c = 0; c < 4; ++c) {
      g[c] *= output[c] > 0.0f ? a.scale : 0.0f;
      sums[c] += g[c];
    }
    store_features<kVector>(gradient, my.column, a.f, g);
  }
  store_tile_sums(sums, board, a.partial_sums + static_cast<int64_t>(blockIdx.y) * a.f, a.f);
}

KERNEL(relu_backward)(ReluBackwardArguments a) {
  SHARED(float4, board, [kBlockWarps][kWarp]);
  a.vectors ? relu_backward_tile<true>(a, board) : relu_backward_tile<false>(a, board);
}

// One thread per four columns of a row.
template <bool kVector>
__device__ __forceinline__ void add_bias_quad(const AddBiasArguments& a) {
  const int quads = (a.d + 3) / 4;
  const int64_t number = static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x, row = number / quads;
  if (row >= a.n) return;
  const int i = static_cast<int>(number - row * quads) * 4;
  ComputeT* values = static_cast<ComputeT*>(a.x) + row * a.stride;
  float x[4], bias[4];
  load_features<kVector>(values, i, a.d, x);
  load_features<kVector>(a.bias, i, a.d, bias);
  UNROLL
  for (int c = 0; c < 4; ++c) x[c] += bias[c];
  store_features<kVector>(values, i, a.d, x);
}

KERNEL(add_bias)(AddBiasArguments a) { a.vectors ? add_bias_quad<true>(a) : add_bias_quad<false>(a); }

template <bool kVector>
__device__ __forceinline__ void embed_forward_strip(const EmbedForwardArguments& a) {
  const StripOf my(a.d);
  if (my.row >= a.n) return;
  const float* entry = a.table + static_cast<int64_t>(a.ids[my.row]) * a.d;
  const float* code = a.position_codes + static_cast<int64_t>(a.token_positions[my.row].position) * a.d;
  const uint32_t kept = kept_in_strip(a.key, a.token_positions, my.row, my.strip);
  Strip x, position;
  load_strip<kVector>(entry, my.strip, a.d, x);
  load_strip<kVector>(code, my.strip, a.d, position);
  change_strip(x, [&](float v, int k, int c) { return (v * a.factor + position[k][c]) * mask_of(a.key, kept, k, c); });
  store_strip<kVector>(a.out + my.row * a.d, my.strip, a.d, x);
}

KERNEL(embed_forward)(EmbedForwardArguments a) {
  a.vectors ? embed_forward_strip<true>(a) : embed_forward_strip<false>(a);
}

// One thread per strip of each distinct token, which adds up the token's rows in their order.
template <bool kVector>
__device__ __forceinline__ void embed_backward_strip(const EmbedBackwardArguments& a) {
  const StripOf my(a.d);
  if (my.row >= a.distinct) return;
  float* entry = a.table_gradient + static_cast<int64_t>(a.tokens[my.row]) * a.d;
  Strip total, g;
  load_strip<kVector>(entry, my.strip, a.d, total);
  for (int32_t j = a.first[my.row]; j < a.first[my.row + 1]; ++j) {
    const int64_t row = a.token_rows[j];
    load_strip<kVector>(a.gradient + row * a.d, my.strip, a.d, g);
    const uint32_t kept = kept_in_strip(a.key, a.token_positions, row, my.strip);
    change_strip(total, [&](float v, int k, int c) { return v + g[k][c] * mask_of(a.key, kept, k, c) * a.factor; });
  }
  store_strip<kVector>(entry, my.strip, a.d, total);
}

KERNEL_OF(256, 2, embed_backward)(EmbedBackwardArguments a) {
  a.vectors ? embed_backward_strip<true>(a) : embed_backward_strip<false>(a);
}
