// SPDX-License-Identifier: Apache-2.0
#include "emulated/gemm.h"

#include <algorithm>
#include <vector>

#include "emulated/numbers.h"

// Each product and its addition as one instruction where the processor has one: twice as fast, and nobody promises
// the bits of cuBLAS.
#pragma GCC optimize("fp-contract=fast")

namespace emulated {

using namespace verbund::cuda;

namespace {

constexpr int kDepth = 256;  // of a block of operands: what a tile reads fits into the first cache

const float* half_values() {
  static const std::vector<float> values = [] {
    std::vector<float> all(1 << 16);
    for (uint32_t bits = 0; bits < all.size(); ++bits) all[bits] = half_to_float(static_cast<uint16_t>(bits));
    return all;
  }();
  return values.data();
}

// `count` numbers that are `stride` apart, as floats.
void load(const Matrix& from, bool tf32, size_t begin, size_t stride, int count, float* to, size_t to_stride) {
  const auto copy = [&](const auto* data, const auto& convert) {
    for (int i = 0; i < count; ++i) to[i * to_stride] = convert(data[begin + i * stride]);
  };
  if (from.type == CUDA_R_32F) {
    const auto* data = static_cast<const float*>(from.data);
    tf32 ? copy(data, round_to_tf32) : copy(data, [](float value) { return value; });
  } else if (from.type == CUDA_R_16F) {
    copy(static_cast<const uint16_t*>(from.data), [table = half_values()](uint16_t bits) { return table[bits]; });
  } else {
    copy(static_cast<const uint16_t*>(from.data), bfloat16_to_float);
  }
}

// Lines of an operand (rows of op(A), columns of op(B)) in panels of `width` lines; in a panel, the lines' elements of
// the same k are neighbours. Lines that fill up the last panel are zero.
std::vector<float> pack(const Matrix& from, bool tf32, int lines, int depth, int width, bool line_is_column) {
  const int panels = (lines + width - 1) / width;
  std::vector<float> packed(static_cast<size_t>(panels) * width * depth);
  const size_t line_step = line_is_column ? from.leading : 1, depth_step = line_is_column ? 1 : from.leading;
  for (int panel = 0; panel < panels; ++panel) {
    float* to = packed.data() + static_cast<size_t>(panel) * width * depth;
    const int first = panel * width, count = std::min(width, lines - first);
    if (line_is_column) {
      for (int i = 0; i < count; ++i) load(from, tf32, (first + i) * line_step, 1, depth, to + i, width);
    } else {
      for (int k = 0; k < depth; ++k) load(from, tf32, first + k * depth_step, 1, count, to + size_t(k) * width, 1);
    }
  }
  return packed;
}

// A tile of C, kColumns columns of kVectors vectors, in registers: sums over a block of k.
template <int kLanes, int kVectors, int kColumns>
struct Tile {
  typedef float Vector __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias));
  static constexpr int kRows = kLanes * kVectors;

  static inline __attribute__((always_inline)) void sum(const float* a, const float* b, int depth, float* c,
                                                        size_t leading) {
    Vector sums[kColumns][kVectors];
#pragma GCC unroll 16
    for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 4
      for (int i = 0; i < kVectors; ++i) sums[j][i] = *reinterpret_cast<Vector*>(c + j * leading + i * kLanes);
    }
    for (int k = 0; k < depth; ++k) {
      Vector left[kVectors];
#pragma GCC unroll 4
      for (int i = 0; i < kVectors; ++i) left[i] = *reinterpret_cast<const Vector*>(a + k * kRows + i * kLanes);
#pragma GCC unroll 16
      for (int j = 0; j < kColumns; ++j) {
        const float right = b[k * kColumns + j];
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) sums[j][i] += left[i] * right;
      }
    }
#pragma GCC unroll 16
    for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 4
      for (int i = 0; i < kVectors; ++i) *reinterpret_cast<Vector*>(c + j * leading + i * kLanes) = sums[j][i];
    }
  }
};

struct Kernel {
  int rows, columns;
  void (*sum)(const float* a, const float* b, int depth, float* c, size_t leading);
};

__attribute__((target("avx512f"))) void sum_avx512(const float* a, const float* b, int depth, float* c,
                                                   size_t leading) {
  Tile<16, 2, 12>::sum(a, b, depth, c, leading);
}
__attribute__((target("avx2,fma"))) void sum_avx2(const float* a, const float* b, int depth, float* c, size_t leading) {
  Tile<8, 2, 6>::sum(a, b, depth, c, leading);
}
void sum_baseline(const float* a, const float* b, int depth, float* c, size_t leading) {
  Tile<4, 2, 4>::sum(a, b, depth, c, leading);
}

Kernel best_kernel() {
  if (__builtin_cpu_supports("avx512f")) return {32, 12, sum_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {16, 6, sum_avx2};
  return {8, 4, sum_baseline};
}

void store(const Product& product, const std::vector<float>& sums, size_t leading) {
  const auto write = [&](auto* c, const auto& to_float, const auto& from_float) {
    for (int j = 0; j < product.n; ++j) {
      for (int i = 0; i < product.m; ++i) {
        auto& element = c[static_cast<size_t>(j) * product.c.leading + i];
        float value = product.alpha * sums[j * leading + i];
        if (product.beta != 0) value += product.beta * to_float(element);
        element = from_float(value);
      }
    }
  };
  const auto same = [](float value) { return value; };
  if (product.c.type == CUDA_R_32F) write(static_cast<float*>(product.c.data), same, same);
  if (product.c.type == CUDA_R_16F) write(static_cast<uint16_t*>(product.c.data), half_to_float, float_to_half);
  if (product.c.type == CUDA_R_16BF) {
    write(static_cast<uint16_t*>(product.c.data), bfloat16_to_float, float_to_bfloat16);
  }
}

}  // namespace

size_t size_of(cudaDataType type) { return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2; }

void multiply(const Product& product) {
  static const Kernel kernel = best_kernel();
  const int row_panels = (product.m + kernel.rows - 1) / kernel.rows;
  const int column_panels = (product.n + kernel.columns - 1) / kernel.columns;
  const size_t leading = static_cast<size_t>(row_panels) * kernel.rows;
  std::vector<float> sums(leading * column_panels * kernel.columns);
  const std::vector<float> a = pack(product.a, product.tf32, product.m, product.k, kernel.rows, product.a.transposed);
  const std::vector<float> b =
      pack(product.b, product.tf32, product.n, product.k, kernel.columns, !product.b.transposed);
  for (int k = 0; k < product.k; k += kDepth) {
    const int depth = std::min(kDepth, product.k - k);
    for (int i = 0; i < row_panels; ++i) {
      for (int j = 0; j < column_panels; ++j) {
        kernel.sum(a.data() + (static_cast<size_t>(i) * product.k + k) * kernel.rows,
                   b.data() + (static_cast<size_t>(j) * product.k + k) * kernel.columns, depth,
                   sums.data() + j * kernel.columns * leading + static_cast<size_t>(i) * kernel.rows, leading);
      }
    }
  }
  store(product, sums, leading);
}

}  // namespace emulated
