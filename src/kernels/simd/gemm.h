// SPDX-License-Identifier: Apache-2.0
// GEMM on one thread. Blocks of both operands are packed into the order in which a tile of the result, held in
// registers, reads them; the packed copies stay in the caches while they are used. Every element is summed in the same
// order wherever the GEMM is cut into parts, so the number of threads does not change a bit of the result.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/simd/vector.h"

namespace verbund::VERBUND_SIMD_NAME {

#if defined(__AVX512F__)
constexpr int64_t kRegisterLanes = 16, kTileRows = 14;
#elif defined(__AVX2__)
constexpr int64_t kRegisterLanes = 8, kTileRows = 6;
#else
constexpr int64_t kRegisterLanes = 4, kTileRows = 6;
#endif
using Register = float __attribute__((vector_size(kRegisterLanes * sizeof(float))));
constexpr int64_t kTileColumns = 2 * kRegisterLanes;

constexpr int64_t kDepth = 256;                 // of a block of both operands
constexpr int64_t kBlockRows = 12 * kTileRows;  // a strip of A stays in the nearest cache ...
constexpr int64_t kBlockColumns = 512;          // ... while a block of B streams from the second one
constexpr int64_t kPaddedDepth = kDepth + 16;   // rows of a strip must not compete for a cache set
static_assert(kBlockColumns % kTileColumns == 0);
static_assert(kBlockRows * kPaddedDepth + kDepth * kBlockColumns <= kGemmScratch);

// A strip is what a row (of A) or column (of B) of tiles reads, kDepth deep.
constexpr int64_t kLeftStrip = kTileRows * kPaddedDepth, kRightStrip = kTileColumns * kDepth;

// kRows rows of a tile = or += strip of A times strip of B; the last `rows` and `columns` of them may be fewer.
// Element (row, p) of the strip of A is at row * kRowStride + p * kStep.
template <int64_t kRows, int64_t kRowStride, int64_t kStep>
void make_tile(int64_t depth, const float* a, const float* b, float* c, int64_t ldc, int64_t rows, int64_t columns,
               bool add) {
  for (int64_t r = 0; r < rows; ++r) {
    __builtin_prefetch(c + r * ldc, 1);
    __builtin_prefetch(c + r * ldc + kTileColumns - 1, 1);
  }
  Register tile[kRows][2] = {};
  for (int64_t p = 0; p < depth; ++p, a += kStep, b += kTileColumns) {
    Register left, right;
    std::memcpy(&left, b, sizeof(left));
    std::memcpy(&right, b + kRegisterLanes, sizeof(right));
#pragma GCC unroll 14
    for (int64_t r = 0; r < kRows; ++r) {
      const Register x = a[r * kRowStride] - Register{};  // in all lanes; "+ 0" would have to mind -0
      tile[r][0] += x * left;
      tile[r][1] += x * right;
    }
  }
  if (rows == kRows && columns == kTileColumns) {
#pragma GCC unroll 14
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
      for (int64_t half = 0; half < 2; ++half) {
        float* to = c + r * ldc + half * kRegisterLanes;
        if (add) {
          Register before;
          std::memcpy(&before, to, sizeof(before));
          tile[r][half] += before;
        }
        std::memcpy(to, &tile[r][half], sizeof(Register));
      }
    }
    return;
  }
  float values[kRows][kTileColumns];
  std::memcpy(values, tile, sizeof(values));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < columns; ++j) c[r * ldc + j] = (add ? c[r * ldc + j] : 0.0f) + values[r][j];
  }
}

// The last strip of A may have few rows; a tile of as many, or one more, does no work for the missing ones.
using MakeTile = void (*)(int64_t depth, const float* a, const float* b, float* c, int64_t ldc, int64_t rows,
                          int64_t columns, bool add);
template <int64_t kRowStride, int64_t kStep, size_t... kHalves>
constexpr std::array<MakeTile, sizeof...(kHalves)> tile_makers(std::index_sequence<kHalves...>) {
  return {make_tile<2 * (kHalves + 1), kRowStride, kStep>...};
}
constexpr std::make_index_sequence<kTileRows / 2> kTileHeights = {};
constexpr auto kMakeFromRows = tile_makers<kPaddedDepth, 1>(kTileHeights);
constexpr auto kMakeFromColumns = tile_makers<1, kTileRows>(kTileHeights);

// Strips of A, element (row, p) at row * kPaddedDepth + p.
inline void copy_left(int64_t rows, int64_t depth, const float* a, int64_t lda, float* to) {
  for (int64_t i = 0; i < rows; ++i) {
    std::memcpy(to + i * kPaddedDepth, a + i * lda, static_cast<size_t>(depth) * sizeof(float));
  }
  const int64_t whole = (rows + kTileRows - 1) / kTileRows * kTileRows;
  for (int64_t i = rows; i < whole; ++i) std::fill_n(to + i * kPaddedDepth, depth, 0.0f);
}

// Strips of A, which is stored transposed: element (row, p) at row + p * kTileRows.
inline void copy_left_transposed(int64_t rows, int64_t depth, const float* a, int64_t lda, float* to) {
  for (int64_t p = 0; p < depth; ++p) {
    for (int64_t i = 0; i < rows; i += kTileRows) {
      float* strip = to + i / kTileRows * kLeftStrip + p * kTileRows;
      const float* from = a + p * lda + i;
      if (rows - i >= kTileRows) {
        std::memcpy(strip, from, kTileRows * sizeof(float));
      } else {
        std::fill_n(std::copy_n(from, rows - i, strip), kTileRows - (rows - i), 0.0f);
      }
    }
  }
}

// Strips of B, element (p, column) at p * kTileColumns + column.
inline void copy_right(int64_t depth, int64_t columns, const float* b, int64_t ldb, float* to) {
  for (int64_t j = 0; j < columns; j += kTileColumns, to += kRightStrip) {
    const int64_t width = std::min(kTileColumns, columns - j);
    for (int64_t p = 0; p < depth; ++p) {
      const float* from = b + p * ldb + j;
      if (width == kTileColumns) {
        std::memcpy(to + p * kTileColumns, from, kTileColumns * sizeof(float));
      } else {
        std::fill_n(std::copy_n(from, width, to + p * kTileColumns), kTileColumns - width, 0.0f);
      }
    }
  }
}

// 16 rows of 16 become columns: in each of four rounds, pairs of rows swap ever smaller blocks.
inline void transpose(Vector (&rows)[kLanes]) {
#pragma GCC unroll 4
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    Integers low, high;
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes; ++i) {
      const bool first = (i & width) == 0;
      low[i] = static_cast<int32_t>(first ? i : i - width + kLanes);
      high[i] = static_cast<int32_t>(first ? i + width : i + kLanes);
    }
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes; ++i) {
      if ((i & width) != 0) continue;
      const Vector upper = rows[i], lower = rows[i + width];
      rows[i] = __builtin_shuffle(upper, lower, low);
      rows[i + width] = __builtin_shuffle(upper, lower, high);
    }
  }
}

// Strips of B, which is stored transposed.
inline void copy_right_transposed(int64_t depth, int64_t columns, const float* b, int64_t ldb, float* to) {
  constexpr int64_t kStep = std::min(kLanes, kTileColumns);
  for (int64_t j = 0; j < columns; j += kStep) {
    float* strip = to + j / kTileColumns * kRightStrip + j % kTileColumns;
    const int64_t width = std::min(kStep, columns - j);
    int64_t p = 0;
    if (kStep == kLanes && width == kLanes) {
      for (; p + kLanes <= depth; p += kLanes) {
        Vector rows[kLanes];
        for (int64_t i = 0; i < kLanes; ++i) rows[i] = load(b + (j + i) * ldb + p);
        transpose(rows);
        for (int64_t i = 0; i < kLanes; ++i) store(strip + (p + i) * kTileColumns, rows[i]);
      }
    }
    for (; p < depth; ++p) {
      for (int64_t i = 0; i < kStep; ++i) strip[p * kTileColumns + i] = i < width ? b[(j + i) * ldb + p] : 0.0f;
    }
  }
  const int64_t strips = (columns + kTileColumns - 1) / kTileColumns;
  for (int64_t j = (columns + kStep - 1) / kStep * kStep; j < strips * kTileColumns; ++j) {
    float* strip = to + j / kTileColumns * kRightStrip + j % kTileColumns;
    for (int64_t p = 0; p < depth; ++p) strip[p * kTileColumns] = 0.0f;
  }
}

// Operands as they are: floats.
struct FloatFormat {
  using Element = float;
  static constexpr int64_t kLeftRow = kPaddedDepth, kStripOfLeft = kLeftStrip, kStripOfRight = kRightStrip;
  static constexpr int64_t kUnit = 1;  // depths that stay together

  static void copy_a(bool transposed, int64_t rows, int64_t depth, const float* a, int64_t lda, float* to) {
    transposed ? copy_left_transposed(rows, depth, a, lda, to) : copy_left(rows, depth, a, lda, to);
  }
  static void copy_b(bool transposed, int64_t depth, int64_t columns, const float* b, int64_t ldb, float* to) {
    transposed ? copy_right_transposed(depth, columns, b, ldb, to) : copy_right(depth, columns, b, ldb, to);
  }
  static MakeTile maker(bool transposed, int64_t height) {
    return (transposed ? kMakeFromColumns : kMakeFromRows)[static_cast<size_t>((height - 1) / 2)];
  }
};

// The depth of all blocks but the last, which may be less deep.
template <typename Format>
int64_t depth_of_blocks(int64_t k) {
  const int64_t blocks = (k + kDepth - 1) / kDepth;
  const int64_t units = blocks > 0 ? (k + blocks * Format::kUnit - 1) / (blocks * Format::kUnit) : 0;
  return units * Format::kUnit;
}

// Elements of a strip of a B that was packed as a whole, with all depths.
template <typename Format>
int64_t whole_strip(int64_t k) {
  return (k + Format::kUnit - 1) / Format::kUnit * kTileColumns;
}

template <typename Format>
void pack_in(const Gemm& gemm, float* to) {
  const float* b = gemm.b.f32();
  const int64_t block_depth = depth_of_blocks<Format>(gemm.k);
  for (int64_t j = 0; j < gemm.n; j += kTileColumns) {
    auto* strip = reinterpret_cast<typename Format::Element*>(to) + j / kTileColumns * whole_strip<Format>(gemm.k);
    for (int64_t p = 0; p < gemm.k; p += block_depth) {
      Format::copy_b(gemm.transpose_b, std::min(block_depth, gemm.k - p), std::min(kTileColumns, gemm.n - j),
                     b + (gemm.transpose_b ? j * gemm.ldb + p : p * gemm.ldb + j), gemm.ldb,
                     strip + p / Format::kUnit * kTileColumns);
    }
  }
}

template <typename Format>
void multiply_in(const Gemm& gemm, float* scratch) {
  const auto& [transpose_a, transpose_b, m, n, k, typed_a, lda, typed_b, ldb, add, typed_c, ldc, packed_b] = gemm;
  using Element = typename Format::Element;
  const float *a = typed_a.f32(), *b = typed_b.f32();
  float* c = typed_c.f32();
  auto* left = reinterpret_cast<Element*>(scratch);
  Element* block = left + kBlockRows * Format::kLeftRow;
  const auto* packed = reinterpret_cast<const Element*>(packed_b);
  const int64_t strip_size = packed != nullptr ? whole_strip<Format>(k) : Format::kStripOfRight;
  const int64_t block_depth = depth_of_blocks<Format>(k);
  if (k == 0 && !add) {
    for (int64_t i = 0; i < m; ++i) std::fill_n(c + i * ldc, n, 0.0f);
  }
  for (int64_t j = 0; j < n; j += kBlockColumns) {
    const int64_t columns = std::min(kBlockColumns, n - j);
    for (int64_t p = 0; p < k; p += block_depth) {
      const int64_t depth = std::min(block_depth, k - p), steps = (depth + Format::kUnit - 1) / Format::kUnit;
      const Element* right = block;
      if (packed != nullptr) {
        right = packed + j / kTileColumns * strip_size + p / Format::kUnit * kTileColumns;
      } else {
        Format::copy_b(transpose_b, depth, columns, b + (transpose_b ? j * ldb + p : p * ldb + j), ldb, block);
      }
      for (int64_t i = 0; i < m; i += kBlockRows) {
        const int64_t rows = std::min(kBlockRows, m - i);
        Format::copy_a(transpose_a, rows, depth, a + (transpose_a ? p * lda + i : i * lda + p), lda, left);
        for (int64_t ii = 0; ii < rows; ii += kTileRows) {
          const int64_t height = std::min(kTileRows, rows - ii);
          const auto make = Format::maker(transpose_a, height);
          for (int64_t jj = 0; jj < columns; jj += kTileColumns) {
            make(steps, left + ii / kTileRows * Format::kStripOfLeft, right + jj / kTileColumns * strip_size,
                 c + (i + ii) * ldc + j + jj, ldc, height, std::min(kTileColumns, columns - jj), add || p > 0);
          }
        }
      }
    }
  }
}

inline void multiply(const Gemm& gemm, float* scratch) { multiply_in<FloatFormat>(gemm, scratch); }
inline void pack(const Gemm& gemm, float* to) { pack_in<FloatFormat>(gemm, to); }

}  // namespace verbund::VERBUND_SIMD_NAME
