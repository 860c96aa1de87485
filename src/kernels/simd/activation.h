// SPDX-License-Identifier: Apache-2.0
// Smooth activations with bias and dropout.
#pragma once

#include "kernels/simd/dropout.h"
#include "kernels/simd/norm.h"

namespace verbund::VERBUND_SIMD_NAME {

struct ValueAndSlope {
  Vector value, slope;
};

inline ValueAndSlope swish(Vector x) {
  const Vector e = exponential(x < 0.0f ? x : -x);
  const Vector sigmoid = (x < 0.0f ? e : broadcast(1.0f)) / (e + 1.0f);
  const Vector value = x * sigmoid;
  return {value, sigmoid + value * (1.0f - sigmoid)};
}

// The normal distribution by the rational approximation of Abramowitz and Stegun, 7.1.26: right to 1e-7.
inline ValueAndSlope gelu(Vector x) {
  const Vector e = exponential(x * x * -0.5f);
  const Vector t = 1.0f / ((x < 0.0f ? -x : x) * (0.3275911f * 0.70710678f) + 1.0f);
  Vector p = broadcast(1.061405429f);
  p = p * t - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  const Vector tail = p * t * e * 0.5f;
  const Vector below = x < 0.0f ? tail : 1.0f - tail;
  return {x * below, below + x * e * 0.39894228f};
}

inline ValueAndSlope activate(SmoothActivation activation, Vector x) {
  return activation == SmoothActivation::kSwish ? swish(x) : gelu(x);
}

inline void smooth_forward(const SmoothForward& op) {
  const int64_t n = op.rows, d = op.width;
  const float *x = op.x.f32(), *bias = op.bias;
  float* output = op.output.f32();
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < n; ++row) {
    RowMask mask(op.dropout, op.token_positions);
    for_vectors(d, [&](int64_t i, int64_t count) {
      Vector v = get(x + row * d, i, count);
      if (bias != nullptr) v += get(bias, i, count);
      put(output + row * d, i, count, activate(op.activation, v).value * mask.at(row, i));
    });
  }
}

inline void smooth_backward(const SmoothBackward& op) {
  const int64_t n = op.rows, d = op.width;
  const float *x = op.x.f32(), *bias = op.bias;
  float *gradient = op.gradient.f32(), *partial = op.partial_sums;
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < kRowBlocks; ++block) {
    float* sums = partial + block * d;
    std::fill(sums, sums + d, 0.0f);
    for (int64_t row = block_begin(n, block); row < block_begin(n, block + 1); ++row) {
      RowMask mask(op.dropout, op.token_positions);
      for_vectors(d, [&](int64_t i, int64_t count) {
        Vector v = get(x + row * d, i, count);
        if (bias != nullptr) v += get(bias, i, count);
        const Vector g = get(gradient + row * d, i, count) * mask.at(row, i) * activate(op.activation, v).slope;
        put(gradient + row * d, i, count, g);
        put(sums, i, count, get(sums, i, count) + g);
      });
    }
  }
  if (op.bias_gradient != nullptr) add_blocks(d, partial, d, op.bias_gradient);
}

}  // namespace verbund::VERBUND_SIMD_NAME
