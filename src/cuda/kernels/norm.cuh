// SPDX-License-Identifier: Apache-2.0
// Residual + dropout + layer norm, and its backward: a group of 4 to 32 threads per row, each with one strip of it in
// registers. Rows of more than 1024 features give each thread several strips, which it reads again in each pass.
#pragma once

#include "groups.cuh"
#include "strips.cuh"

constexpr int kNormThreads = 128;

// RowShare is the part of a row that a thread works on: rows after the last have none, but take part in sums.
struct RowShare {
  int64_t row;
  int first, step, strips;
  bool again;  // there are several strips for each thread

  __device__ __forceinline__ RowShare(int64_t n, int d, int threads) {
    row = static_cast<int64_t>(blockIdx.x) * (kNormThreads / threads) + threadIdx.x / threads;
    first = static_cast<int>(threadIdx.x) % threads;
    step = threads;
    strips = row < n ? strips_of(d) : 0;
    again = strips > threads;
  }
};

template <bool kVector, typename Input>
__device__ __forceinline__ void norm_forward_row(const NormForwardArguments& a) {
  const RowShare my(a.n, a.d, a.threads);
  const int64_t begin = my.row * a.d;
  ComputeT* operand = a.operand == nullptr ? nullptr : static_cast<ComputeT*>(a.operand) + begin;
  Strip x;
  float total = 0;
  for (int strip = my.first; strip < my.strips; strip += my.step) {
    load_strip<kVector>(static_cast<const Input*>(a.input) + begin, strip, a.d, x);
    const uint32_t kept = kept_in_strip(a.key, a.token_positions, my.row, strip);
    if (a.input_bias != nullptr) add_to_strip<kVector>(a.input_bias, strip, a.d, x);
    change_strip(x, [&](float v, int k, int c) { return v * mask_of(a.key, kept, k, c); });
    if (a.residual != nullptr) add_to_strip<kVector>(a.residual + begin, strip, a.d, x);
    change_strip(x, [&](float v, int, int) {
      total += v;  // 0 beyond the row's end
      return v;
    });
    store_strip<kVector>(a.sum + begin, strip, a.d, x);
    if (a.scale == nullptr && operand != nullptr) store_strip<kVector>(operand, strip, a.d, x);
  }
  if (a.scale == nullptr) return;
  const float mean = group_sum(total, my.step) / static_cast<float>(a.d);
  float squares = 0;
  for (int strip = my.first; strip < my.strips; strip += my.step) {
    if (my.again) load_strip<kVector>(a.sum + begin, strip, a.d, x);
    UNROLL
    for (int k = 0; k < kStripQuads; ++k) {
      UNROLL
      for (int c = 0; c < 4; ++c) {
        squares += strip_feature(strip, k) + c < a.d ? (x[k][c] - mean) * (x[k][c] - mean) : 0.0f;
      }
    }
  }
  const float inverse = 1.0f / sqrtf(group_sum(squares, my.step) / static_cast<float>(a.d) + a.epsilon);
  for (int strip = my.first; strip < my.strips; strip += my.step) {
    if (my.again) load_strip<kVector>(a.sum + begin, strip, a.d, x);
    UNROLL
    for (int k = 0; k < kStripQuads; ++k) {
      float scale[4], bias[4];
      load_features<kVector>(a.scale, strip_feature(strip, k), a.d, scale);
      load_features<kVector>(a.bias, strip_feature(strip, k), a.d, bias);
      UNROLL
      for (int c = 0; c < 4; ++c) x[k][c] = (x[k][c] - mean) * inverse * scale[c] + bias[c];
    }
    if (a.normed != nullptr) store_strip<kVector>(a.normed + begin, strip, a.d, x);
    if (operand != nullptr) store_strip<kVector>(operand, strip, a.d, x);
  }
  if (my.strips > 0 && my.first == 0) {
    a.mean[my.row] = mean;
    a.inverse_deviation[my.row] = inverse;
  }
}

KERNEL_OF(kNormThreads, 3, norm_forward)(NormForwardArguments a) {
  a.vectors ? norm_forward_row<true, ComputeT>(a) : norm_forward_row<false, ComputeT>(a);
}
// The same for an input in float where the compute dtype is not.
KERNEL_OF(kNormThreads, 3, norm_forward_of_floats)(NormForwardArguments a) {
  a.vectors ? norm_forward_row<true, float>(a) : norm_forward_row<false, float>(a);
}

// With g = gradient * scale and x the normal form: inverse (g - mean(g) - x mean(g x)).
template <bool kVector>
__device__ __forceinline__ void norm_backward_row(const NormBackwardArguments& a) {
  const RowShare my(a.n, a.d, a.threads);
  const int64_t begin = my.row * a.d;
  const bool norm = a.scale != nullptr && a.normed_gradient != nullptr;
  float mean = 0, inverse = 0, mean_g = 0, mean_gx = 0;
  Strip g, x;
  const auto load = [&](int strip) {
    load_strip<kVector>(a.normed_gradient + begin, strip, a.d, g);
    load_strip<kVector>(a.sum + begin, strip, a.d, x);
    UNROLL
    for (int k = 0; k < kStripQuads; ++k) {
      float scale[4];
      load_features<kVector>(a.scale, strip_feature(strip, k), a.d, scale);
      UNROLL
      for (int c = 0; c < 4; ++c) {
        g[k][c] *= scale[c];
        x[k][c] = (x[k][c] - mean) * inverse;
      }
    }
  };
  if (norm) {
    if (my.strips > 0) {
      mean = a.mean[my.row];
      inverse = a.inverse_deviation[my.row];
    }
    float total_g = 0, total_gx = 0;
    for (int strip = my.first; strip < my.strips; strip += my.step) {
      load(strip);
      UNROLL
      for (int k = 0; k < kStripQuads; ++k) {
        UNROLL
        for (int c = 0; c < 4; ++c) {
          total_g += g[k][c];
          total_gx += g[k][c] * x[k][c];  // g is 0 beyond the row's end
        }
      }
    }
    mean_g = group_sum(total_g, my.step) / static_cast<float>(a.d);
    mean_gx = group_sum(total_gx, my.step) / static_cast<float>(a.d);
  }
  for (int strip = my.first; strip < my.strips; strip += my.step) {
    if (norm && my.again) load(strip);
    if (norm) {
      change_strip(x, [&](float v, int k, int c) { return (g[k][c] - mean_g - v * mean_gx) * inverse; });
    } else {
      change_strip(x, [](float, int, int) { return 0.0f; });
    }
    if (a.sum_gradient != nullptr) add_to_strip<kVector>(a.sum_gradient + begin, strip, a.d, x);
    store_strip<kVector>(a.residual_gradient + begin, strip, a.d, x);
    if (a.input_gradient == nullptr) continue;
    const uint32_t kept = kept_in_strip(a.key, a.token_positions, my.row, strip);
    change_strip(x, [&](float v, int k, int c) { return v * mask_of(a.key, kept, k, c); });
    store_strip<kVector>(static_cast<ComputeT*>(a.input_gradient) + begin, strip, a.d, x);
  }
}

KERNEL_OF(kNormThreads, 3, norm_backward)(NormBackwardArguments a) {
  a.vectors ? norm_backward_row<true>(a) : norm_backward_row<false>(a);
}
