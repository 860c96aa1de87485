// SPDX-License-Identifier: Apache-2.0
// Residual + dropout + layer norm in one pass over each row, and its backward pass.
#pragma once

#include <cmath>

#include "kernels/simd/dropout.h"

namespace verbund::VERBUND_SIMD_NAME {

// RowMask makes a row's dropout mask, 128 features at a time; all ones without dropout.
class RowMask {
 public:
  RowMask(const DropoutKey& key, const TokenPosition* positions)
      : key_(key), positions_(positions), active_(key.threshold > 0) {
    std::fill(std::begin(mask_), std::end(mask_), 1.0f);
  }
  Vector at(int64_t row, int64_t feature) {
    if (active_ && feature % kMaskFeatures == 0) {
      dropout_block(key_, positions_[row].sentence, positions_[row].position,
                    static_cast<uint32_t>(feature / kMaskFeatures), mask_);
    }
    return load(mask_ + feature % kMaskFeatures);
  }

 private:
  const DropoutKey& key_;
  const TokenPosition* positions_;
  bool active_;
  float mask_[kMaskFeatures];
};

inline void norm_forward(const NormForward& op) {
  const int64_t n = op.rows, d = op.width;
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < n; ++row) {
    RowMask mask(op.dropout, op.token_positions);
    const float* input = op.input.f32() + row * d;
    float* sums = op.sum + row * d;
    Vector total = {};
    for_vectors(d, [&](int64_t i, int64_t count) {
      Vector x = get(input, i, count);
      if (op.input_bias != nullptr) x += get(op.input_bias, i, count);
      x *= mask.at(row, i);
      if (op.residual != nullptr) x += get(op.residual + row * d, i, count);
      put(sums, i, count, x);
      total += x;  // lanes after the row's end are 0
    });
    if (op.scale == nullptr) continue;
    const float mean = sum(total) / static_cast<float>(d);
    Vector squares = {};
    for_vectors(d, [&](int64_t i, int64_t count) {
      Vector x = get(sums, i, count) - mean;
      if (count < kLanes) {
        for (int64_t lane = count; lane < kLanes; ++lane) x[lane] = 0;
      }
      squares += x * x;
    });
    const float inverse = 1.0f / std::sqrt(sum(squares) / static_cast<float>(d) + op.epsilon);
    for_vectors(d, [&](int64_t i, int64_t count) {
      const Vector normal = (get(sums, i, count) - mean) * inverse;
      put(op.normed + row * d, i, count, normal * get(op.scale, i, count) + get(op.bias, i, count));
    });
    op.mean[row] = mean;
    op.inverse_deviation[row] = inverse;
  }
}

inline void norm_backward(const NormBackward& op) {
  const int64_t n = op.rows, d = op.width;
  float* partial = op.partial_sums;
  // Per block of rows: gradients of scale, bias and input bias.
  const int64_t stride = 3 * d;
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < kRowBlocks; ++block) {
    float* scale_sum = partial + block * stride;
    float* bias_sum = scale_sum + d;
    float* input_sum = bias_sum + d;
    std::fill(scale_sum, scale_sum + stride, 0.0f);
    for (int64_t row = block_begin(n, block); row < block_begin(n, block + 1); ++row) {
      const bool norm = op.scale != nullptr && op.normed_gradient != nullptr;
      const float* gradient = norm ? op.normed_gradient + row * d : nullptr;
      const float* sums = op.sum + row * d;
      const float mean = norm ? op.mean[row] : 0, inverse = norm ? op.inverse_deviation[row] : 0;
      // With g = gradient * scale and x the normal form: inverse (g - mean(g) - x mean(g x)).
      float mean_g = 0, mean_gx = 0;
      if (norm) {
        Vector total_g = {}, total_gx = {};
        for_vectors(d, [&](int64_t i, int64_t count) {
          const Vector dy = get(gradient, i, count);
          const Vector x = (get(sums, i, count) - mean) * inverse;
          const Vector g = dy * get(op.scale, i, count);
          total_g += g;
          total_gx += g * x;  // g is 0 after the row's end
          put(scale_sum, i, count, get(scale_sum, i, count) + dy * x);
          put(bias_sum, i, count, get(bias_sum, i, count) + dy);
        });
        mean_g = sum(total_g) / static_cast<float>(d);
        mean_gx = sum(total_gx) / static_cast<float>(d);
      }
      RowMask mask(op.dropout, op.token_positions);
      for_vectors(d, [&](int64_t i, int64_t count) {
        Vector total = {};
        if (op.sum_gradient != nullptr) total = get(op.sum_gradient + row * d, i, count);
        if (norm) {
          const Vector x = (get(sums, i, count) - mean) * inverse;
          total += (get(gradient, i, count) * get(op.scale, i, count) - mean_g - x * mean_gx) * inverse;
        }
        put(op.residual_gradient + row * d, i, count, total);
        if (!op.input_gradient) return;
        const Vector input = total * mask.at(row, i);
        put(op.input_gradient.f32() + row * d, i, count, input);
        if (op.input_bias_gradient != nullptr) put(input_sum, i, count, get(input_sum, i, count) + input);
      });
    }
  }
  if (op.scale != nullptr && op.normed_gradient != nullptr) {
    add_blocks(d, partial, stride, op.scale_gradient);
    add_blocks(d, partial + d, stride, op.bias_gradient);
  }
  if (op.input_bias_gradient != nullptr) add_blocks(d, partial + 2 * d, stride, op.input_bias_gradient);
}

}  // namespace verbund::VERBUND_SIMD_NAME
