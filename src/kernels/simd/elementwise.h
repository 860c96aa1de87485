// SPDX-License-Identifier: Apache-2.0
// ReLU with bias and dropout, embeddings with positions and dropout, biases and their sums.
#pragma once

#include "kernels/simd/dropout.h"
#include "kernels/simd/norm.h"

namespace verbund::VERBUND_SIMD_NAME {

inline void relu_forward(const ReluForward& op) {
  const int64_t n = op.rows, d = op.width;
  float* x = op.x.f32();
  const float* bias = op.bias;
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < n; ++row) {
    RowMask mask(op.dropout, op.token_positions);
    float* values = x + row * d;
    for_vectors(d, [&](int64_t i, int64_t count) {
      Vector v = get(values, i, count);
      if (bias != nullptr) v += get(bias, i, count);
      put(values, i, count, maximum(Vector{}, v) * mask.at(row, i));
    });
  }
}

inline void relu_backward(const ReluBackward& op) {
  const int64_t n = op.rows, d = op.width;
  const float* output = op.output.f32();
  float* gradient = op.gradient.f32();
  const float scale = op.scale;
  float* partial = op.partial_sums;
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < kRowBlocks; ++block) {
    float* sums = partial + block * d;
    std::fill(sums, sums + d, 0.0f);
    for (int64_t row = block_begin(n, block); row < block_begin(n, block + 1); ++row) {
      // An output above 0 was neither cut by the ReLU nor dropped.
      for_vectors(d, [&](int64_t i, int64_t count) {
        const Vector alive = get(output + row * d, i, count) > 0.0f ? broadcast(scale) : Vector{};
        const Vector g = get(gradient + row * d, i, count) * alive;
        put(gradient + row * d, i, count, g);
        put(sums, i, count, get(sums, i, count) + g);
      });
    }
  }
  if (op.bias_gradient != nullptr) add_blocks(d, partial, d, op.bias_gradient);
}

inline void embed_forward(const EmbedForward& op) {
  const int64_t n = op.rows, d = op.width;
  const float factor = op.factor;
  float* out = op.out;
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < n; ++row) {
    RowMask mask(op.dropout, op.token_positions);
    const float* entry = op.table + op.ids[row] * d;
    const float* code = op.position_codes + op.token_positions[row].position * d;
    for_vectors(d, [&](int64_t i, int64_t count) {
      put(out + row * d, i, count, (get(entry, i, count) * factor + get(code, i, count)) * mask.at(row, i));
    });
  }
}

// Tokens repeat, so threads share columns, not rows.
inline void embed_backward(const EmbedBackward& op) {
  const int64_t n = op.rows, d = op.width;
  const float factor = op.factor;
  const int64_t parts = (d + kMaskFeatures - 1) / kMaskFeatures;
#pragma omp parallel for schedule(static)
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t first = part * kMaskFeatures, width = std::min(kMaskFeatures, d - first);
    for (int64_t row = 0; row < n; ++row) {
      RowMask mask(op.dropout, op.token_positions);
      const float* from = op.gradient + row * d;
      float* entry = op.table_gradient + op.ids[row] * d;
      for_vectors(width, [&](int64_t j, int64_t count) {
        const int64_t i = first + j;
        put(entry, i, count, get(entry, i, count) + get(from, i, count) * mask.at(row, i) * factor);
      });
    }
  }
}

inline void add_bias(const AddBias& op) {
  const int64_t n = op.rows, d = op.width, stride = op.stride;
  float* x = op.x.f32();
  const float* bias = op.bias;
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < n; ++row) {
    for_vectors(d, [&](int64_t i, int64_t count) {
      put(x + row * stride, i, count, get(x + row * stride, i, count) + get(bias, i, count));
    });
  }
}

inline void column_sums(const ColumnSums& op) {
  const int64_t n = op.rows, d = op.width;
  const float* x = op.x.f32();
  float* partial = op.partial_sums;
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < kRowBlocks; ++block) {
    float* own = partial + block * d;
    std::fill(own, own + d, 0.0f);
    for (int64_t row = block_begin(n, block); row < block_begin(n, block + 1); ++row) {
      for_vectors(
          d, [&](int64_t i, int64_t count) { put(own, i, count, get(own, i, count) + get(x + row * d, i, count)); });
    }
  }
  add_blocks(d, partial, d, op.sums);
}

}  // namespace verbund::VERBUND_SIMD_NAME
