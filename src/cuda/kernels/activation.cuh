// SPDX-License-Identifier: Apache-2.0
// Smooth activations with bias and dropout.
#pragma once

#include "strips.cuh"

// The share of x that passes, which is also the first part of the slope: sigmoid (swish), or the normal distribution
// (GELU).
__device__ __forceinline__ float passing_share(int activation, float x) {
  return activation == 0 ? 1.0f / (1.0f + expf(-x)) : 0.5f * erfcf(x * -0.70710678f);
}
__device__ __forceinline__ float smooth_slope(int activation, float x) {
  const float share = passing_share(activation, x);
  return activation == 0 ? share + x * share * (1.0f - share) : share + x * expf(x * x * -0.5f) * 0.39894228f;
}

template <bool kVector>
__device__ __forceinline__ void smooth_forward_strip(const SmoothForwardArguments& a) {
  const StripOf my(a.f);
  if (my.row >= a.n) return;
  Strip x;
  load_strip<kVector>(static_cast<const ComputeT*>(a.x) + my.row * a.f, my.strip, a.f, x);
  if (a.bias != nullptr) add_to_strip<kVector>(a.bias, my.strip, a.f, x);
  // One activation for the whole strip, and the mask apart from it: otherwise, NVRTC kept registers in memory.
  if (a.activation == 0) {
    change_strip(x, [](float v, int, int) { return v * passing_share(0, v); });
  } else {
    change_strip(x, [](float v, int, int) { return v * passing_share(1, v); });
  }
  const uint32_t kept = kept_in_strip(a.key, a.token_positions, my.row, my.strip);
  change_strip(x, [&](float v, int k, int c) { return v * mask_of(a.key, kept, k, c); });
  store_strip<kVector>(static_cast<ComputeT*>(a.output) + my.row * a.f, my.strip, a.f, x);
}

KERNEL(smooth_forward)(SmoothForwardArguments a) {
  a.vectors ? smooth_forward_strip<true>(a) : smooth_forward_strip<false>(a);
}

template <bool kVector>
__device__ __forceinline__ void smooth_backward_strip(const SmoothBackwardArguments& a) {
  const StripOf my(a.f);
  if (my.row >= a.n) return;
  ComputeT* row = static_cast<ComputeT*>(a.gradient) + my.row * a.f;
  const uint32_t kept = kept_in_strip(a.key, a.token_positions, my.row, my.strip);
  Strip x, g;
  load_strip<kVector>(static_cast<const ComputeT*>(a.x) + my.row * a.f, my.strip, a.f, x);
  load_strip<kVector>(row, my.strip, a.f, g);
  if (a.bias != nullptr) add_to_strip<kVector>(a.bias, my.strip, a.f, x);
  change_strip(
      g, [&](float v, int k, int c) { return v * smooth_slope(a.activation, x[k][c]) * mask_of(a.key, kept, k, c); });
  store_strip<kVector>(row, my.strip, a.f, g);
}

KERNEL(smooth_backward)(SmoothBackwardArguments a) {
  a.vectors ? smooth_backward_strip<true>(a) : smooth_backward_strip<false>(a);
}
