// SPDX-License-Identifier: Apache-2.0
// The kernels of decoding token by token: attention of single queries over a kv cache whose rows lie anywhere in
// memory, and the most likely next tokens of each row of logits.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/simd/vector.h"

namespace verbund::VERBUND_SIMD_NAME {

inline float dot(const float* a, const float* b, int64_t size) {
  Vector total = {};
  for_vectors(size, [&](int64_t i, int64_t count) { total += get(a, i, count) * get(b, i, count); });
  return sum(total);
}

inline void step_attention_row(const StepAttention& op, int64_t row) {
  thread_local std::vector<float> scratch;
  const int64_t keys = op.counts[row], depth = op.depth;
  const auto* list = reinterpret_cast<const float* const*>(op.keys) + op.first[row];
  const auto size = static_cast<size_t>(keys);
  if (scratch.size() < 2 * size) scratch.resize(2 * size);
  float *weights = scratch.data(), *total = scratch.data() + size;
  if (op.aligned != nullptr) std::fill_n(total, keys, 0.0f);
  const float factor = 1.0f / std::sqrt(static_cast<float>(depth));
  for (int64_t head = 0; head < op.heads; ++head) {
    const int64_t column = head * depth;
    const float* query = op.query.f32() + row * op.query_stride + column;
    float highest = -std::numeric_limits<float>::infinity();
    for (int64_t j = 0; j < keys; ++j) {
      weights[j] = factor * dot(query, list[j] + op.key_offset + column, depth);
      highest = weights[j] > highest ? weights[j] : highest;
    }
    Vector partition = {};
    for_vectors(keys, [&](int64_t j, int64_t count) {
      Vector e = exponential(get(weights, j, count) - highest);
      for (int64_t lane = count; lane < kLanes; ++lane) e[lane] = 0;
      put(weights, j, count, e);
      partition += e;
    });
    const float inverse = 1.0f / sum(partition);
    float* output = op.output.f32() + row * op.heads * depth + column;
    for_vectors(depth, [&](int64_t i, int64_t count) {
      Vector mixed = {};
      for (int64_t j = 0; j < keys; ++j) mixed += get(list[j] + op.value_offset + column, i, count) * weights[j];
      put(output, i, count, mixed * inverse);
    });
    if (op.aligned == nullptr) continue;
    for (int64_t j = 0; j < keys; ++j) total[j] += weights[j] * inverse;
  }
  if (op.aligned != nullptr) op.aligned[row] = static_cast<int32_t>(std::max_element(total, total + keys) - total);
}

inline void step_attention(const StepAttention& op) {
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < op.rows; ++row) step_attention_row(op, row);
}

// Keeps the best in order while it reads the row once; few tokens ever get past the first comparison.
inline void best_of_row(const BestTokens& op, int64_t row) {
  const float* logits = op.logits + row * op.vocabulary;
  float* values = op.log_probabilities + row * op.count;
  int32_t* tokens = op.tokens + row * op.count;
  std::fill_n(values, op.count, -std::numeric_limits<float>::infinity());
  std::fill_n(tokens, op.count, -1);
  const auto offer = [&](int64_t token) {
    const float value = logits[token];
    if (!(value > values[op.count - 1])) return;
    int64_t place = op.count - 1;
    for (; place > 0 && value > values[place - 1]; --place) {
      values[place] = values[place - 1];
      tokens[place] = tokens[place - 1];
    }
    values[place] = value;
    tokens[place] = static_cast<int32_t>(token);
  };
  for_vectors(op.vocabulary, [&](int64_t i, int64_t count) {
    if (count == kLanes) {
      const Integers better = load(logits + i) > values[op.count - 1];
      int32_t any = 0;
      for (int64_t lane = 0; lane < kLanes; ++lane) any |= better[lane];
      if (any == 0) return;
    }
    for (int64_t lane = 0; lane < count; ++lane) offer(i + lane);
  });
  const float highest = values[0];
  Vector partition = {};
  for_vectors(op.vocabulary, [&](int64_t i, int64_t count) {
    Vector e = exponential(get(logits, i, count) - highest);
    for (int64_t lane = count; lane < kLanes; ++lane) e[lane] = 0;
    partition += e;
  });
  op.log_partition[row] = highest + std::log(sum(partition));
  for (int64_t i = 0; i < op.count; ++i) values[i] -= op.log_partition[row];
}

inline void best_tokens(const BestTokens& op) {
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < op.rows; ++row) best_of_row(op, row);
}

}  // namespace verbund::VERBUND_SIMD_NAME
