// SPDX-License-Identifier: Apache-2.0
// Cross-entropy with label smoothing on rows of logits, in place: loss, best token and gradient while the row is in the
// cache.
#pragma once

#include <cmath>

#include "kernels/simd/vector.h"

namespace verbund::VERBUND_SIMD_NAME {

// The target gives 1 - s to the right token and s / (v - 1) to each other one. The loss is the
// cross-entropy with it minus its own entropy, so that a perfect model has loss 0.
inline void loss_row(const LossRows& op, int64_t row) {
  const int64_t v = op.vocabulary;
  float* logits = op.logits.f32() + row * v;
  const bool wants_gradient = static_cast<bool>(op.gradient);  // it takes the logits' place
  const int32_t target = op.targets[row];
  Vector top = broadcast(logits[0]), all = {};
  for_vectors(v, [&](int64_t i, int64_t count) {
    Vector x = get(logits, i, count);
    all += x;
    if (count < kLanes) {
      for (int64_t lane = count; lane < kLanes; ++lane) x[lane] = logits[0];
    }
    top = maximum(top, x);
  });
  const float highest = largest(top), right = logits[target];
  op.best[row] = static_cast<int32_t>(std::find(logits, logits + v, highest) - logits);

  Vector total = {};
  for_vectors(v, [&](int64_t i, int64_t count) {
    Vector e = exponential(get(logits, i, count) - highest);
    if (count < kLanes) {
      for (int64_t lane = count; lane < kLanes; ++lane) e[lane] = 0;
    }
    total += e;
    if (wants_gradient) put(logits, i, count, e);
  });
  const float partition = sum(total);
  const double log_partition = highest + std::log(static_cast<double>(partition));
  const double others = op.smoothing > 0 ? op.smoothing / static_cast<double>(v - 1) : 0;
  const double confidence = 1 - op.smoothing;
  const double log_right = right - log_partition;
  double entropy = 0;
  if (op.smoothing > 0) entropy = -(confidence * std::log(confidence) + op.smoothing * std::log(others));
  op.cross_entropy[row] = -log_right;
  op.smoothed[row] = -((confidence - others) * log_right +
                       others * (static_cast<double>(sum(all)) - static_cast<double>(v) * log_partition)) -
                     entropy;
  if (!wants_gradient) return;
  const float inverse = op.gradient_scale / partition, low = op.gradient_scale * static_cast<float>(others);
  for_vectors(v, [&](int64_t i, int64_t count) { put(logits, i, count, get(logits, i, count) * inverse - low); });
  logits[target] -= op.gradient_scale * static_cast<float>(confidence - others);
}

inline void loss(const LossRows& op) {
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < op.rows; ++row) loss_row(op, row);
}

}  // namespace verbund::VERBUND_SIMD_NAME
