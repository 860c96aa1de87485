// SPDX-License-Identifier: Apache-2.0
// The CUDA C++ that kernels are written in, for g++: src/cuda/kernels/language.cuh includes this instead of NVRTC's
// built-in names. Each thread of a block is a fiber (block_runner.h); what waits for other threads is implemented
// there.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__ static constexpr
#define __forceinline__ inline

// With the most threads of its blocks, as __launch_bounds__ tells a compiler and through it the driver.
#define BOUNDED_KERNEL(threads, name)                 \
  constexpr unsigned name##_most_threads = (threads); \
  void name

// One array for the whole block. It is found by the place it is declared at, as CUDA's static shared memory is.
#define SHARED(type, name, extent)                                         \
  using name##_array = type extent;                                        \
  static constinit ::emulated::SharedSite name##_site{__FILE__, __LINE__}; \
  name##_array& name =                                                     \
      *static_cast<name##_array*>(::emulated::shared_memory(name##_site, sizeof(name##_array), alignof(name##_array)))

// Arithmetic operations that the calling thread is about to do: what a prediction for a real GPU is made of.
#define COUNT_OPERATIONS(n) (::emulated::operations += static_cast<unsigned long long>(n))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// Vectors of the lengths that a GPU loads with one instruction, and only from addresses aligned to them.
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(4) ushort2 {
  unsigned short x, y;
};
struct alignas(8) ushort4 {
  unsigned short x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline ushort2 make_ushort2(unsigned short x, unsigned short y) { return {x, y}; }
inline ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) {
  return {x, y, z, w};
}

// Who the running thread is. A launch stays on one thread of the system, so these are its own.
extern constinit thread_local uint3 threadIdx, blockIdx;
extern constinit thread_local dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace emulated {

struct SharedSite {
  const char* file;
  int line;
  unsigned long long place = 0;  // kernel and offset at its last use, see shared_memory
};

extern constinit thread_local unsigned long long operations;
extern constinit thread_local int lane_of_thread;

void barrier(const char* file, int line);
void warp_barrier(unsigned mask, const char* file, int line);
// Shows `value` to the lanes of the mask and returns what the lane `source` shows.
uint64_t exchange(unsigned mask, uint64_t value, int source, const char* file, int line);
uint64_t ballot(unsigned mask, bool value, const char* file, int line);
inline int lane() { return lane_of_thread; }
void* shared_memory(SharedSite& site, size_t bytes, size_t alignment);
// Atomic functions of a launch; they race with nothing.
float atomic_add(float* place, float value);
double atomic_add(double* place, double value);
int atomic_add(int* place, int value);
unsigned atomic_add(unsigned* place, unsigned value);
unsigned long long atomic_add(unsigned long long* place, unsigned long long value);

template <typename T>
T exchange_value(unsigned mask, T value, int source, const char* file, int line) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "a shuffle moves numbers of at most 64 bits");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = exchange(mask, bits, source, file, line);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace emulated

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  ::emulated::barrier(file, line);
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  ::emulated::warp_barrier(mask, file, line);
}
// Sources beyond their segment of `width` lanes give the caller's own value, as on a GPU.
template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) {
  const int first = ::emulated::lane() & ~(width - 1);
  return ::emulated::exchange_value(mask, value, first + (source & (width - 1)), file, line);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  const int lane = ::emulated::lane(), source = lane ^ bits;
  return ::emulated::exchange_value(mask, value, source < (lane & ~(width - 1)) + width ? source : lane, file, line);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned step, int width = 32, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  const int lane = ::emulated::lane(), source = lane + static_cast<int>(step);
  return ::emulated::exchange_value(mask, value, source < (lane & ~(width - 1)) + width ? source : lane, file, line);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned step, int width = 32, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  const int lane = ::emulated::lane(), source = lane - static_cast<int>(step);
  return ::emulated::exchange_value(mask, value, source >= (lane & ~(width - 1)) ? source : lane, file, line);
}
inline unsigned __ballot_sync(unsigned mask, int value, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  return static_cast<unsigned>(::emulated::ballot(mask, value != 0, file, line));
}

template <typename T>
T atomicAdd(T* place, std::type_identity_t<T> value) {
  return ::emulated::atomic_add(place, value);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(uint64_t{a} * b >> 32); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }

template <typename T>
T __ldg(const T* place) {
  return *place;
}

inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __saturatef(float x) { return std::min(1.0f, std::max(0.0f, x)); }

// CUDA's min and max take mixed integers; std's do not.
template <typename A, typename B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <typename A, typename B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

// IEEE half precision, as bits: to nearest even, as the GPU's cvt.rn.f16.f32.
inline unsigned short __float_to_half_bits(float x) { return std::bit_cast<unsigned short>(static_cast<_Float16>(x)); }
inline float __half_bits_to_float(unsigned short bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
