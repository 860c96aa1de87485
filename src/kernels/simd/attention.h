// SPDX-License-Identifier: Apache-2.0
// Attention of each sentence by itself over packed rows: no padding is computed. One thread computes one head of one
// sentence; all its matrices fit into the nearest cache.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/simd/dropout.h"

namespace verbund::VERBUND_SIMD_NAME {

inline int64_t padded(int64_t length) { return (length + kLanes - 1) / kLanes * kLanes; }

// C[r][c] = factor * sum over k of A[r][k] B[k][c], for small matrices; A may be transposed (its
// strides swapped).
struct HeadGemm {
  const float* a;
  int64_t a_row, a_k;
  const float* b;
  int64_t b_k;
  float* c;
  int64_t c_row;
  int64_t rows, k, columns;
  float factor = 1;
};

template <int kRows>
inline void multiply_rows(const HeadGemm& p, int64_t row) {
  const float* a = p.a + row * p.a_row;
  int64_t column = 0;
  for (; column + 2 * kLanes <= p.columns; column += 2 * kLanes) {
    Vector total[kRows][2] = {};
    for (int64_t k = 0; k < p.k; ++k) {
      const Vector b0 = load(p.b + k * p.b_k + column), b1 = load(p.b + k * p.b_k + column + kLanes);
      for (int r = 0; r < kRows; ++r) {
        const float x = a[r * p.a_row + k * p.a_k];
        total[r][0] += b0 * x;
        total[r][1] += b1 * x;
      }
    }
    for (int r = 0; r < kRows; ++r) {
      store(p.c + (row + r) * p.c_row + column, total[r][0] * p.factor);
      store(p.c + (row + r) * p.c_row + column + kLanes, total[r][1] * p.factor);
    }
  }
  for (; column < p.columns; column += kLanes) {
    const int64_t count = std::min(kLanes, p.columns - column);
    Vector total[kRows] = {};
    for (int64_t k = 0; k < p.k; ++k) {
      const Vector b = get(p.b + k * p.b_k, column, count);
      for (int r = 0; r < kRows; ++r) total[r] += b * a[r * p.a_row + k * p.a_k];
    }
    for (int r = 0; r < kRows; ++r) put(p.c + (row + r) * p.c_row, column, count, total[r] * p.factor);
  }
}

inline void multiply_head(const HeadGemm& p) {
  int64_t row = 0;
  for (; row + 4 <= p.rows; row += 4) multiply_rows<4>(p, row);
  for (; row < p.rows; ++row) multiply_rows<1>(p, row);
}

// out[c][r] = in[r][c], rows of `out` padded with zeros.
inline void transpose(const float* in, int64_t stride, int64_t rows, int64_t columns, float* out, int64_t out_stride) {
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) out[c * out_stride + r] = in[r * stride + c];
    std::fill(out + c * out_stride + rows, out + (c + 1) * out_stride, 0.0f);
  }
}

// A buffer that grows and is kept, one per thread and use.
inline float* scratch(int which, int64_t size) {
  thread_local std::vector<float> buffers[4];
  if (static_cast<int64_t>(buffers[which].size()) < size) buffers[which].resize(static_cast<size_t>(size));
  return buffers[which].data();
}

constexpr uint32_t kBlocksPerHead = 512;  // 65,536 keys

// HeadTask describes the sentence and head of one task.
struct HeadTask {
  int64_t queries, keys, keys_padded;
  int64_t query_row, key_row;  // where the sentence starts
  int64_t column;              // where the head starts in a row
  float* weights;              // [queries, keys_padded]
  uint64_t sentence;
  uint32_t first_block;
  float factor;  // depth^-0.5

  HeadTask(const AttentionShape& shape, int64_t task, const float* all_weights) {
    const int64_t s = task / shape.heads, head = task % shape.heads;
    query_row = shape.query_offsets[s];
    key_row = shape.key_offsets[s];
    queries = shape.query_offsets[s + 1] - query_row;
    keys = shape.key_offsets[s + 1] - key_row;
    keys_padded = padded(keys);
    column = head * shape.depth;
    weights = const_cast<float*>(all_weights) + shape.weight_offsets[s] + head * queries * keys_padded;
    sentence = shape.sentence_ids[s];
    first_block = static_cast<uint32_t>(head) * kBlocksPerHead;
    factor = 1.0f / std::sqrt(static_cast<float>(shape.depth));
  }
};

inline void softmax_row(float* row, int64_t valid, int64_t size) {
  std::fill(row + valid, row + size, -std::numeric_limits<float>::infinity());
  Vector top = load(row);
  for (int64_t i = kLanes; i < size; i += kLanes) top = maximum(top, load(row + i));
  const float highest = largest(top);
  Vector total = {};
  for (int64_t i = 0; i < size; i += kLanes) {
    const Vector e = exponential(load(row + i) - highest);
    store(row + i, e);
    total += e;
  }
  const float inverse = 1.0f / sum(total);
  for (int64_t i = 0; i < size; i += kLanes) store(row + i, load(row + i) * inverse);
}

// row *= mask of this query's weights.
inline void drop_row(const DropoutKey& key, const HeadTask& task, int64_t query, float* row) {
  if (key.threshold == 0) return;
  float mask[kMaskFeatures];
  for (int64_t first = 0; first < task.keys_padded; first += kMaskFeatures) {
    dropout_block(key, task.sentence, static_cast<uint32_t>(query),
                  task.first_block + static_cast<uint32_t>(first / kMaskFeatures), mask);
    const int64_t end = std::min(first + kMaskFeatures, task.keys_padded);
    for (int64_t i = first; i < end; i += kLanes) store(row + i, load(row + i) * load(mask + i - first));
  }
}

inline void attend(const AttentionForward& op, int64_t index) {
  const AttentionShape& shape = op.shape;
  const DropoutKey& key = op.dropout;
  const HeadTask t(shape, index, op.weights);
  const int64_t depth = shape.depth, width = shape.heads * depth;
  const float* query = op.query.f32() + t.query_row * op.query_stride + t.column;
  const float* keys = op.key.f32() + t.key_row * op.key_stride + t.column;
  const float* value = op.value.f32() + t.key_row * op.key_stride + t.column;
  float* transposed = scratch(0, depth * t.keys_padded);
  transpose(keys, op.key_stride, t.keys, depth, transposed, t.keys_padded);
  multiply_head({query, op.query_stride, 1, transposed, t.keys_padded, t.weights, t.keys_padded, t.queries, depth,
                 t.keys_padded, t.factor});
  const float* dropped = t.weights;
  if (key.threshold > 0) dropped = scratch(1, t.queries * t.keys_padded);
  for (int64_t i = 0; i < t.queries; ++i) {
    float* row = t.weights + i * t.keys_padded;
    softmax_row(row, shape.causal ? i + 1 : t.keys, t.keys_padded);
    if (key.threshold == 0) continue;
    float* copy = const_cast<float*>(dropped) + i * t.keys_padded;
    std::copy(row, row + t.keys_padded, copy);
    drop_row(key, t, i, copy);
  }
  multiply_head({dropped, t.keys_padded, 1, value, op.key_stride, op.output.f32() + t.query_row * width + t.column,
                 width, t.queries, t.keys, depth});
}

inline void attend_backward(const AttentionBackward& op, int64_t index) {
  const AttentionShape& shape = op.shape;
  const DropoutKey& key = op.dropout;
  const HeadTask t(shape, index, op.weights);
  const int64_t depth = shape.depth, width = shape.heads * depth, size = t.queries * t.keys_padded;
  const float* query = op.query.f32() + t.query_row * op.query_stride + t.column;
  const float* keys = op.key.f32() + t.key_row * op.key_stride + t.column;
  const float* value = op.value.f32() + t.key_row * op.key_stride + t.column;
  const float* output_gradient = op.output_gradient.f32() + t.query_row * width + t.column;
  float* query_gradient = op.query_gradient.f32() + t.query_row * op.query_stride + t.column;
  float* key_gradient = op.key_gradient.f32() + t.key_row * op.key_stride + t.column;
  float* value_gradient = op.value_gradient.f32() + t.key_row * op.key_stride + t.column;

  float* transposed = scratch(0, depth * t.keys_padded);
  float* dropped = scratch(1, size);   // the weights as they were used
  float* gradient = scratch(2, size);  // of the weights, then of the scores
  transpose(value, op.key_stride, t.keys, depth, transposed, t.keys_padded);
  multiply_head(
      {output_gradient, width, 1, transposed, t.keys_padded, gradient, t.keys_padded, t.queries, depth, t.keys_padded});
  for (int64_t i = 0; i < t.queries; ++i) {
    const float* weights = t.weights + i * t.keys_padded;
    float* used = dropped + i * t.keys_padded;
    float* g = gradient + i * t.keys_padded;
    std::copy(weights, weights + t.keys_padded, used);
    drop_row(key, t, i, used);
    drop_row(key, t, i, g);
    Vector inner = {};
    for (int64_t j = 0; j < t.keys_padded; j += kLanes) inner += load(g + j) * load(weights + j);
    const float shift = sum(inner);
    for (int64_t j = 0; j < t.keys_padded; j += kLanes) {
      store(g + j, load(weights + j) * (load(g + j) - shift) * t.factor);
    }
  }
  multiply_head(
      {gradient, t.keys_padded, 1, keys, op.key_stride, query_gradient, op.query_stride, t.queries, t.keys, depth});
  multiply_head(
      {gradient, 1, t.keys_padded, query, op.query_stride, key_gradient, op.key_stride, t.keys, t.queries, depth});
  multiply_head(
      {dropped, 1, t.keys_padded, output_gradient, width, value_gradient, op.key_stride, t.keys, t.queries, depth});
}

inline void attention_forward(const AttentionForward& op) {
  const int64_t tasks = int64_t{op.shape.sentences} * op.shape.heads;
#pragma omp parallel for schedule(dynamic, 4)
  for (int64_t task = 0; task < tasks; ++task) attend(op, task);
}

inline void attention_backward(const AttentionBackward& op) {
  const int64_t tasks = int64_t{op.shape.sentences} * op.shape.heads;
#pragma omp parallel for schedule(dynamic, 4)
  for (int64_t task = 0; task < tasks; ++task) attend_backward(op, task);
}

}  // namespace verbund::VERBUND_SIMD_NAME
