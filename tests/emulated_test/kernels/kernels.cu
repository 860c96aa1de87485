// SPDX-License-Identifier: Apache-2.0
// Small kernels: what the emulated GPU must run right, and what it must refuse.
#include "language.cuh"

struct Scale {
  float factor;
  double offset;
};

KERNEL(tell_who)(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = block * 10000 + thread;
}

KERNEL(tell_factor)(int* out) { *out = VERBUND_COMPUTE_DTYPE; }

KERNEL(copy)(float* to, const float* from, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
  COUNT_OPERATIONS(1);
}

KERNEL(scale_by)(float* x, long long n, Scale scale) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * scale.factor + static_cast<float>(scale.offset);
}

// Each block of 128 turns its 128 numbers round; `kPause` is the barrier that this needs.
template <bool kPause>
__device__ __forceinline__ void reverse_in_shared(float* x) {
  SHARED(float, tile, [128]);
  float* mine = x + blockIdx.x * 128;
  tile[threadIdx.x] = mine[threadIdx.x];
  if (kPause) __syncthreads();
  mine[threadIdx.x] = tile[127 - threadIdx.x];
}
KERNEL(reverse_block)(float* x) { reverse_in_shared<true>(x); }
KERNEL(reverse_block_unguarded)(float* x) { reverse_in_shared<false>(x); }

template <bool kPause>
__device__ __forceinline__ void reverse_warps(float* x) {
  SHARED(float, tile, [4][32]);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  tile[warp][lane] = x[threadIdx.x];
  if (kPause) __syncwarp();
  x[threadIdx.x] = tile[warp][31 - lane];
}
KERNEL(reverse_warp)(float* x) { reverse_warps<true>(x); }
KERNEL(reverse_warp_unguarded)(float* x) { reverse_warps<false>(x); }

KERNEL(sum_warps)(double* out, const float* x) {
  float a = x[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) a += __shfl_xor_sync(0xFFFFFFFFu, a, step);
  double b = x[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) b += __shfl_down_sync(0xFFFFFFFFu, b, step);
  b = __shfl_sync(0xFFFFFFFFu, b, 0);
  const unsigned odd = __ballot_sync(0xFFFFFFFFu, threadIdx.x % 2);
  if (blockIdx.x == 0) out[threadIdx.x] = a == static_cast<float>(b) && odd == 0xAAAAAAAAu ? b : -1;
}

// The halves of a warp go different ways, and exchange twice as often in one of them.
KERNEL(sum_halves)(int* out) {
  const int lane = threadIdx.x % 32;
  int x = lane;
  if (lane < 16) {
    for (int step = 8; step > 0; step /= 2) x += __shfl_xor_sync(0x0000FFFFu, x, step);
  } else {
    x += __shfl_xor_sync(0xFFFF0000u, x, 8);
  }
  out[threadIdx.x] = x;
}

KERNEL(write_from_all_blocks)(int* x) {
  if (threadIdx.x == 0) x[0] = blockIdx.x;
}
KERNEL(read_then_write_first)(int* x) {
  const int first = x[0];
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 0) x[0] = first + 1;
}
KERNEL(count_up)(int* x) { atomicAdd(x, 1); }
KERNEL_OF(96, count_up_in_small_blocks)(int* x) { atomicAdd(x, 1); }

KERNEL(load_vectors)(float* to, const float* from, int first) {
  *reinterpret_cast<float4*>(to + 4 * threadIdx.x) =
      *reinterpret_cast<const float4*>(from + first + 4 * threadIdx.x);
}

KERNEL(write_at)(float* x, long long i) { x[i] = 1; }
KERNEL(read_at)(float* to, const float* from, long long i) { to[0] = from[i]; }

KERNEL(show_fresh_shared)(float* out) {
  SHARED(float, tile, [32]);
  out[threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = 1;
}

KERNEL(take_much_shared)(float* out) {
  SHARED(float, first, [6000]);
  SHARED(float, second, [6289]);  // 4 bytes more than 48 KB
  first[threadIdx.x] = second[threadIdx.x];
  out[threadIdx.x] = first[threadIdx.x];
}

KERNEL(shuffle_without_lanes)(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_xor_sync(0xFFFFFFFFu, 1, 1);
  } else {
    __syncthreads();
  }
}
KERNEL(shuffle_after_some_ended)(int* out) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = __shfl_xor_sync(0xFFFFFFFFu, 1, 1);
}
KERNEL(shuffle_outside_mask)(int* out) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = __shfl_sync(0x0000FFFFu, 1, 20);
}

KERNEL(barrier_of_some)(int* out) {
  if (threadIdx.x < 40) __syncthreads();
  out[threadIdx.x] = 1;
}
KERNEL(barriers_of_two_kinds)(int* out) {
  if (threadIdx.x < 40) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

KERNEL(halves_of_numbers)(unsigned short* x) { x[threadIdx.x] = __float_to_half_bits(static_cast<float>(threadIdx.x)); }

__device__ inline int deeper(volatile int* x, int depth) {
  volatile int room[256];
  room[depth % 256] = depth;
  return depth > 100000 ? room[0] : deeper(x, depth + 1) + room[depth % 256] + x[0];
}
KERNEL(recurse)(int* x) { x[threadIdx.x] = deeper(x, 0); }
