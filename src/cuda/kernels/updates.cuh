// SPDX-License-Identifier: Apache-2.0
// The kernels on flat buffers of weights and gradients: each thread strides over them, four numbers at a time. New
// weights are also stored in the compute dtype.
#pragma once

#include "groups.cuh"

// Calls f(first number) for the thread's part of a buffer.
template <typename F>
__device__ __forceinline__ void for_quads(int64_t size, F f) {
  const int64_t step = 4 * static_cast<int64_t>(gridDim.x) * kBlockThreads;
  for (int64_t i = 4 * (static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x); i < size; i += step) f(i);
}

// Four numbers of a buffer, or fewer at its end.
template <bool kVector, typename T>
__device__ __forceinline__ void load_quad(const T* from, int64_t i, int64_t size, float* x) {
  load_features<kVector>(from + i, 0, static_cast<int>(min(size - i, int64_t{4})), x);
}
template <bool kVector, typename T>
__device__ __forceinline__ void store_quad(T* to, int64_t i, int64_t size, const float* x) {
  store_features<kVector>(to + i, 0, static_cast<int>(min(size - i, int64_t{4})), x);
}
// A buffer's end may be no multiple of four.
template <typename F, typename G>
__device__ __forceinline__ void for_whole_and_rest(int64_t size, bool vectors, F whole, G rest) {
  for_quads(size, [&](int64_t i) { vectors&& i + 4 <= size ? whole(i) : rest(i); });
}

template <bool kVector>
__device__ __forceinline__ void round_quad(const RoundArguments& a, int64_t i) {
  float x[4];
  load_quad<kVector>(a.values, i, a.size, x);
  store_quad<kVector>(static_cast<ComputeT*>(a.operands), i, a.size, x);
}
KERNEL(round_operands)(RoundArguments a) {
  for_whole_and_rest(
      a.size, a.vectors, [&](int64_t i) { round_quad<true>(a, i); }, [&](int64_t i) { round_quad<false>(a, i); });
}

template <bool kVector>
__device__ __forceinline__ void adam_quad(const AdamArguments& a, int64_t i) {
  float gradient[4], weight[4], mean[4], square[4];
  load_quad<kVector>(a.gradients, i, a.size, gradient);
  load_quad<kVector>(a.weights, i, a.size, weight);
  load_quad<kVector>(a.mean, i, a.size, mean);
  load_quad<kVector>(a.square, i, a.size, square);
  UNROLL
  for (int c = 0; c < 4; ++c) {
    // Fused by hand: ranks with unlike GPUs or compilers keep the same weights.
    const float g = __fmaf_rn(gradient[c], a.gradient_scale, weight[c] * a.gradient_decay);
    mean[c] = __fmaf_rn(mean[c], a.beta1, g * a.one_minus_beta1);
    square[c] = __fmaf_rn(square[c], a.beta2, g * g * a.one_minus_beta2);
    const float step = mean[c] / __fmaf_rn(sqrtf(square[c]), a.root_scale, a.epsilon);
    weight[c] = __fmaf_rn(-a.rate, step, weight[c] * a.weight_keep);
  }
  store_quad<kVector>(a.weights, i, a.size, weight);
  store_quad<kVector>(a.mean, i, a.size, mean);
  store_quad<kVector>(a.square, i, a.size, square);
  if (a.operands != nullptr) store_quad<kVector>(static_cast<ComputeT*>(a.operands), i, a.size, weight);
}
KERNEL(adam)(AdamArguments a) {
  for_whole_and_rest(
      a.size, a.vectors, [&](int64_t i) { adam_quad<true>(a, i); }, [&](int64_t i) { adam_quad<false>(a, i); });
}

template <bool kVector>
__device__ __forceinline__ void sgd_quad(const SgdArguments& a, int64_t i) {
  float change[4], weight[4];
  load_quad<kVector>(a.gradients, i, a.size, change);
  load_quad<kVector>(a.weights, i, a.size, weight);
  UNROLL
  for (int c = 0; c < 4; ++c) change[c] = __fmaf_rn(change[c], a.gradient_scale, weight[c] * a.weight_decay);
  if (a.momentum != nullptr) {
    float momentum[4];
    load_quad<kVector>(a.momentum, i, a.size, momentum);
    UNROLL
    for (int c = 0; c < 4; ++c) change[c] = __fmaf_rn(momentum[c], a.momentum_keep, change[c]);
    store_quad<kVector>(a.momentum, i, a.size, change);
  }
  UNROLL
  for (int c = 0; c < 4; ++c) weight[c] = __fmaf_rn(-a.rate, change[c], weight[c]);
  store_quad<kVector>(a.weights, i, a.size, weight);
  if (a.operands != nullptr) store_quad<kVector>(static_cast<ComputeT*>(a.operands), i, a.size, weight);
}
KERNEL(sgd)(SgdArguments a) {
  for_whole_and_rest(
      a.size, a.vectors, [&](int64_t i) { sgd_quad<true>(a, i); }, [&](int64_t i) { sgd_quad<false>(a, i); });
}

template <bool kVector>
__device__ __forceinline__ void ema_quad(const EmaArguments& a, int64_t i) {
  float weight[4], average[4];
  load_quad<kVector>(a.weights, i, a.size, weight);
  load_quad<kVector>(a.average, i, a.size, average);
  UNROLL
  for (int c = 0; c < 4; ++c) average[c] = __fmaf_rn(a.share, weight[c] - average[c], average[c]);
  store_quad<kVector>(a.average, i, a.size, average);
}
KERNEL(ema)(EmaArguments a) {
  for_whole_and_rest(
      a.size, a.vectors, [&](int64_t i) { ema_quad<true>(a, i); }, [&](int64_t i) { ema_quad<false>(a, i); });
}

template <bool kVector>
__device__ __forceinline__ void swap_quad(const SwapArguments& a, int64_t i) {
  float x[4], y[4];
  load_quad<kVector>(a.a, i, a.size, x);
  load_quad<kVector>(a.b, i, a.size, y);
  store_quad<kVector>(a.a, i, a.size, y);
  store_quad<kVector>(a.b, i, a.size, x);
}
KERNEL(swap_buffers)(SwapArguments a) {
  for_whole_and_rest(
      a.size, a.vectors, [&](int64_t i) { swap_quad<true>(a, i); }, [&](int64_t i) { swap_quad<false>(a, i); });
}

// One block per part. In double precision squares of floats are exact and cannot overflow. A NaN is larger than
// nothing, so `largest` misses it; the sum does not.
KERNEL(measure_parts)(MeasureArguments a) {
  SHARED(double, sums, [kBlockWarps]);
  SHARED(float, tops, [kBlockWarps]);
  MeasuredPart& part = a.part[blockIdx.x];
  double squares = 0;
  float largest = 0;
  for (int64_t i = part.begin + threadIdx.x; i < part.end; i += kBlockThreads) {
    const float magnitude = fabsf(a.values[i]);
    largest = magnitude > largest ? magnitude : largest;
    squares += static_cast<double>(magnitude) * static_cast<double>(magnitude);
  }
  squares = block_sum(squares, sums);
  largest = block_max(largest, tops);
  if (threadIdx.x != 0) return;
  part.squares = squares;
  part.largest = largest;
}

KERNEL(add_measured)(MeasureArguments a) {
  SHARED(double, sums, [kBlockWarps]);
  SHARED(float, tops, [kBlockWarps]);
  double squares = 0;
  float largest = 0;
  for (int64_t i = threadIdx.x; i < a.parts; i += kBlockThreads) {
    squares += a.part[i].squares;
    largest = fmaxf(largest, a.part[i].largest);
  }
  squares = block_sum(squares, sums);
  largest = block_max(largest, tops);
  if (threadIdx.x != 0) return;
  a.part[a.parts].squares = squares;
  a.part[a.parts].largest = largest;
}
