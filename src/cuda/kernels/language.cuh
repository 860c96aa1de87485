// SPDX-License-Identifier: Apache-2.0
// The differences between the two compilers of the kernels: NVRTC, for GPUs, and the host's, for the emulated GPU of the
// tests. No other file of this folder distinguishes them.
#pragma once

#ifdef __CUDACC_RTC__

typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

// The most threads of a block tell the compiler how many registers there are for each. Of some kernels, several blocks
// are to share a multiprocessor's 65,536.
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name
#define KERNEL_OF(threads, blocks, name) extern "C" __global__ void __launch_bounds__(threads, blocks) name
#define SHARED(type, name, extent) __shared__ type name extent
#define UNROLL _Pragma("unroll")
#define UNROLL_BY_2 _Pragma("unroll 2")
#define UNROLL_BY_4 _Pragma("unroll 4")
#define COUNT_OPERATIONS(n)

__device__ __forceinline__ uint16_t __float_to_half_bits(float x) {
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
__device__ __forceinline__ float __half_bits_to_float(uint16_t bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

#else

#include "emulated_language.h"

#define KERNEL(name) BOUNDED_KERNEL(256, name)
#define KERNEL_OF(threads, blocks, name) BOUNDED_KERNEL(threads, name)
#define UNROLL _Pragma("GCC unroll 8")
#define UNROLL_BY_2
#define UNROLL_BY_4

#endif
