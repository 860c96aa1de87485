// ReLU with bias and dropout, embeddings with positions and dropout, biases and their sums.
#pragma once

#include "kernels/simd/dropout.h"
#include "kernels/simd/norm.h"
#include "kernels/simd/rows.h"

namespace verbund::VERBUND_SIMD_NAME {

inline void relu_forward(int64_t n, int64_t f, TypedFloats x, const float* bias, const DropoutKey& key,
                         const TokenPosition* rows) {
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < n; ++row) {
    RowMask mask(key, rows);
    float* values = x.f32() + row * f;
    for_vectors(f, [&](int64_t i, int64_t count) {
      Vector v = get(values, i, count);
      if (bias != nullptr) v += get(bias, i, count);
      put(values, i, count, maximum(Vector{}, v) * mask.at(row, i));
    });
  }
}

inline void relu_backward(int64_t n, int64_t f, ConstTypedFloats outputs, TypedFloats gradients, float scale,
                          float* bias_gradient, float* partial) {
  const float* output = outputs.f32();
  float* gradient = gradients.f32();
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < kRowBlocks; ++block) {
    float* sums = partial + block * f;
    std::fill(sums, sums + f, 0.0f);
    for (int64_t row = block_begin(n, block); row < block_begin(n, block + 1); ++row) {
      // An output above 0 was neither cut by the ReLU nor dropped.
      for_vectors(f, [&](int64_t i, int64_t count) {
        const Vector alive = get(output + row * f, i, count) > 0.0f ? broadcast(scale) : Vector{};
        const Vector g = get(gradient + row * f, i, count) * alive;
        put(gradient + row * f, i, count, g);
        put(sums, i, count, get(sums, i, count) + g);
      });
    }
  }
  if (bias_gradient != nullptr) add_blocks(f, partial, f, bias_gradient);
}

inline void embed_forward(int64_t n, int64_t d, const int32_t* ids, const float* table, float factor,
                          const float* positions, float* out, const DropoutKey& key, const TokenPosition* rows) {
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < n; ++row) {
    RowMask mask(key, rows);
    const float* entry = table + ids[row] * d;
    const float* code = positions + rows[row].position * d;
    for_vectors(d, [&](int64_t i, int64_t count) {
      put(out + row * d, i, count, (get(entry, i, count) * factor + get(code, i, count)) * mask.at(row, i));
    });
  }
}

// Tokens repeat, so threads share columns, not rows.
inline void embed_backward(int64_t n, int64_t d, const int32_t* ids, const float* gradient, float factor,
                           float* table_gradient, const DropoutKey& key, const TokenPosition* rows) {
  const int64_t parts = (d + kMaskFeatures - 1) / kMaskFeatures;
#pragma omp parallel for schedule(static)
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t first = part * kMaskFeatures, width = std::min(kMaskFeatures, d - first);
    for (int64_t row = 0; row < n; ++row) {
      RowMask mask(key, rows);
      const float* from = gradient + row * d;
      float* entry = table_gradient + ids[row] * d;
      for_vectors(width, [&](int64_t j, int64_t count) {
        const int64_t i = first + j;
        put(entry, i, count, get(entry, i, count) + get(from, i, count) * mask.at(row, i) * factor);
      });
    }
  }
}

inline void add_bias(int64_t n, int64_t d, TypedFloats values, int64_t stride, const float* bias) {
  float* x = values.f32();
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < n; ++row) {
    for_vectors(d, [&](int64_t i, int64_t count) {
      put(x + row * stride, i, count, get(x + row * stride, i, count) + get(bias, i, count));
    });
  }
}

inline void column_sums(int64_t n, int64_t d, ConstTypedFloats values, float* sums, float* partial) {
  const float* x = values.f32();
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < kRowBlocks; ++block) {
    float* own = partial + block * d;
    std::fill(own, own + d, 0.0f);
    for (int64_t row = block_begin(n, block); row < block_begin(n, block + 1); ++row) {
      for_vectors(
          d, [&](int64_t i, int64_t count) { put(own, i, count, get(own, i, count) + get(x + row * d, i, count)); });
    }
  }
  add_blocks(d, partial, d, sums);
}

}  // namespace verbund::VERBUND_SIMD_NAME
