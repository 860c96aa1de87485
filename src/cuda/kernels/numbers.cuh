// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 and 32 bits, and four of them at a time. Everything is computed in float.
#pragma once

#include "language.cuh"

struct Bf16 {
  uint16_t bits;
};
struct Fp16 {
  uint16_t bits;
};

// The compute dtype, of what GEMMs read: VERBUND_COMPUTE_DTYPE is 0 for float, 1 for bfloat16, 2 for half.
template <int kDtype>
struct ComputeTypeOf {
  using Type = float;
};
template <>
struct ComputeTypeOf<1> {
  using Type = Bf16;
};
template <>
struct ComputeTypeOf<2> {
  using Type = Fp16;
};
using ComputeT = ComputeTypeOf<VERBUND_COMPUTE_DTYPE>::Type;

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(Bf16 x) { return __uint_as_float(static_cast<uint32_t>(x.bits) << 16); }
__device__ __forceinline__ float to_float(Fp16 x) { return __half_bits_to_float(x.bits); }

__device__ __forceinline__ void from_float(float x, float& to) { to = x; }
__device__ __forceinline__ void from_float(float x, Bf16& to) {
  const uint32_t bits = __float_as_uint(x);
  // Round to nearest, ties to even; NaN is handled apart, since rounding could turn it into infinity.
  to.bits = static_cast<uint16_t>(x == x ? (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16 : bits >> 16 | 0x40u);
}
__device__ __forceinline__ void from_float(float x, Fp16& to) { to.bits = __float_to_half_bits(x); }

__device__ __forceinline__ float infinity() { return __uint_as_float(0x7F800000u); }

// Four neighbours in one access, which must be aligned to their size.
__device__ __forceinline__ void load4(const float* from, float* x) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  x[0] = v.x;
  x[1] = v.y;
  x[2] = v.z;
  x[3] = v.w;
}
__device__ __forceinline__ float4 quad_of(const float* x) {
  float4 v;
  v.x = x[0];
  v.y = x[1];
  v.z = x[2];
  v.w = x[3];
  return v;
}
__device__ __forceinline__ void store4(float* to, const float* x) { *reinterpret_cast<float4*>(to) = quad_of(x); }
template <typename T>
__device__ __forceinline__ void load4(const T* from, float* x) {
  const ushort4 v = *reinterpret_cast<const ushort4*>(from);
  x[0] = to_float(T{v.x});
  x[1] = to_float(T{v.y});
  x[2] = to_float(T{v.z});
  x[3] = to_float(T{v.w});
}
template <typename T>
__device__ __forceinline__ void store4(T* to, const float* x) {
  T r[4];
  UNROLL
  for (int c = 0; c < 4; ++c) from_float(x[c], r[c]);
  ushort4 v;
  v.x = r[0].bits;
  v.y = r[1].bits;
  v.z = r[2].bits;
  v.w = r[3].bits;
  *reinterpret_cast<ushort4*>(to) = v;
}

// The four features of a row of d from i on; what is beyond the row's end is 0, and not written. kVector: the rows are
// aligned and d is a multiple of 4.
template <bool kVector, typename T>
__device__ __forceinline__ void load_features(const T* row, int i, int d, float* x) {
  if (kVector && i < d) {
    load4(row + i, x);
  } else {
    UNROLL
    for (int c = 0; c < 4; ++c) x[c] = !kVector && i + c < d ? to_float(row[i + c]) : 0.0f;
  }
}
template <bool kVector, typename T>
__device__ __forceinline__ void store_features(T* row, int i, int d, const float* x) {
  if (kVector) {
    if (i < d) store4(row + i, x);
  } else {
    UNROLL
    for (int c = 0; c < 4; ++c) {
      if (i + c < d) from_float(x[c], row[i + c]);
    }
  }
}
