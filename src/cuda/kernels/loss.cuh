// SPDX-License-Identifier: Apache-2.0
// Cross-entropy with label smoothing of rows of logits: one block per row, which reads it twice: for the largest and
// the sum of exponentials, and for the gradient.
#pragma once

#include "groups.cuh"

// Calls f(value, number) for the thread's part of a row, in ascending order of numbers.
template <bool kVector, typename T, typename F>
__device__ __forceinline__ void for_part_of_row(const T* row, int size, F f) {
  for (int i = 4 * static_cast<int>(threadIdx.x); i < size; i += 4 * kBlockThreads) {
    float x[4];
    load_features<kVector>(row, i, size, x);
    UNROLL
    for (int c = 0; c < 4; ++c) {
      if (kVector || i + c < size) f(x[c], i + c);
    }
  }
}

// The first of the largest, and the sum of exponentials relative to the largest, of what has been shown to it.
struct SoftmaxPart {
  Numbered top = {-3e38f, kNoNumber};
  float total = 0;

  __device__ __forceinline__ void add(float x, int32_t number) {
    if (x > top.value) {
      total = total * expf(top.value - x) + 1.0f;
      top.value = x;
      top.number = number;
    } else {
      total += expf(x - top.value);
    }
  }
};

// The target gives 1 - s to the right token and s / (v - 1) to each other one. The loss is the cross-entropy with it
// minus its own entropy, so that a perfect model has loss 0.
template <bool kVector, typename T>
__device__ __forceinline__ void loss_row(const LossArguments& a, Numbered* tops, float* sums) {
  const int64_t row = blockIdx.x;
  const int v = a.vocabulary;
  const T* logits = static_cast<const T*>(a.logits) + row * v;
  const int32_t target = a.targets[row];
  const float right = to_float(logits[target]);
  SoftmaxPart part;
  float all = 0;
  for_part_of_row<kVector>(logits, v, [&](float x, int32_t number) {
    all += x;
    part.add(x, number);
  });
  const Numbered top = block_first(part.top, tops);
  const float partition = block_sum(part.total * expf(part.top.value - top.value), sums);
  all = block_sum(all, sums);

  const double others = a.smoothing > 0 ? a.smoothing / static_cast<double>(v - 1) : 0.0;
  const double confidence = 1 - a.smoothing;
  if (threadIdx.x == 0) {
    const double log_partition = top.value + log(static_cast<double>(partition));
    const double log_right = right - log_partition;
    double entropy = 0;
    if (a.smoothing > 0) entropy = -(confidence * log(confidence) + a.smoothing * log(others));
    a.cross_entropy[row] = -log_right;
    a.smoothed[row] = -((confidence - others) * log_right +
                        others * (static_cast<double>(all) - static_cast<double>(v) * log_partition)) -
                      entropy;
    if (a.best != nullptr) a.best[row] = top.number < v ? top.number : 0;
  }
  if (a.gradient == nullptr) return;
  T* gradient = static_cast<T*>(a.gradient) + row * v;  // may be the logits
  const float inverse = a.gradient_scale / partition, low = a.gradient_scale * static_cast<float>(others);
  const float at_target = a.gradient_scale * static_cast<float>(confidence - others);
  for (int i = 4 * static_cast<int>(threadIdx.x); i < v; i += 4 * kBlockThreads) {
    float x[4];
    load_features<kVector>(logits, i, v, x);
    UNROLL
    for (int c = 0; c < 4; ++c) {
      x[c] = expf(x[c] - top.value) * inverse - low - (i + c == target ? at_target : 0.0f);
    }
    store_features<kVector>(gradient, i, v, x);
  }
}

KERNEL(loss)(LossArguments a) {
  SHARED(Numbered, tops, [kBlockWarps]);
  SHARED(float, sums, [kBlockWarps]);
  a.vectors ? loss_row<true, ComputeT>(a, tops, sums) : loss_row<false, ComputeT>(a, tops, sums);
}
// The loss of logits in float where the compute dtype is not: for evaluation.
KERNEL(loss_of_floats)(LossArguments a) {
  SHARED(Numbered, tops, [kBlockWarps]);
  SHARED(float, sums, [kBlockWarps]);
  a.vectors ? loss_row<true, float>(a, tops, sums) : loss_row<false, float>(a, tops, sums);
}

// One block: each thread adds up every 256th row, then they are added in order.
KERNEL(sum_losses)(SumLossesArguments a) {
  SHARED(double, board, [kBlockWarps]);
  double smoothed = 0, cross_entropy = 0, correct = 0;
  for (int64_t row = threadIdx.x; row < a.rows; row += kBlockThreads) {
    smoothed += a.smoothed[row];
    cross_entropy += a.cross_entropy[row];
    correct += a.best[row] == a.targets[row] ? 1.0 : 0.0;
  }
  smoothed = block_sum(smoothed, board);
  cross_entropy = block_sum(cross_entropy, board);
  correct = block_sum(correct, board);
  if (threadIdx.x != 0) return;
  a.sums[0] = smoothed;
  a.sums[1] = cross_entropy;
  a.sums[2] = correct;
}
