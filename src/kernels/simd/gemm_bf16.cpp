// SPDX-License-Identifier: Apache-2.0
// GEMM whose operands are rounded to bfloat16 while they are packed, with sums in float: nearly twice the speed where
// the processor multiplies pairs of such numbers (AVX512-BF16). The scheme is that of gemm.h, with two depths in every
// 32 bits.
#include <immintrin.h>

#include <algorithm>

#include "kernels/kernels.h"
#include "kernels/simd/gemm.h"

namespace verbund::VERBUND_SIMD_NAME {
namespace {

using Pairs = __m512i;  // 16 times two bfloat16 of neighbouring depths

constexpr int64_t kPairs = kDepth / 2;         // of a block
constexpr int64_t kPaddedPairs = kPairs + 16;  // of a row of a strip of A
constexpr int64_t kLeftPairs = kTileRows * kPaddedPairs;
constexpr int64_t kRightPairs = kTileColumns * kPairs;

// The first `count` of 16 floats, the others 0.
__m512 load_first(const float* from, int64_t count) {
  if (count >= 16) return _mm512_loadu_ps(from);
  return count <= 0 ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1), from);
}

Pairs round_neighbours(const float* from, int64_t count) {  // 32 floats in a row
  return reinterpret_cast<Pairs>(_mm512_cvtne2ps_pbh(load_first(from + 16, count - 16), load_first(from, count)));
}

// 16 columns of two rows; without a second one, 0.
Pairs round_rows(const float* first, const float* second, int64_t columns) {
  const __m512 low = load_first(first, columns);
  const __m512 high = second == nullptr ? _mm512_setzero_ps() : load_first(second, columns);
  const __m512i interleave = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22,
                                              6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutexvar_epi16(interleave, reinterpret_cast<Pairs>(_mm512_cvtne2ps_pbh(high, low)));
}

template <int64_t kRows, int64_t kRowStride, int64_t kStep>
void make_tile_bf16(int64_t pairs, const int32_t* a, const int32_t* b, float* c, int64_t ldc, int64_t rows,
                    int64_t columns, bool add) {
  __m512 tile[kRows][2];
#pragma GCC unroll 14
  for (int64_t r = 0; r < kRows; ++r) tile[r][0] = tile[r][1] = _mm512_setzero_ps();
  for (int64_t p = 0; p < pairs; ++p, a += kStep, b += kTileColumns) {
    const auto left = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b));
    const auto right = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + 16));
#pragma GCC unroll 14
    for (int64_t r = 0; r < kRows; ++r) {
      const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(a[r * kRowStride]));
      tile[r][0] = _mm512_dpbf16_ps(tile[r][0], x, left);
      tile[r][1] = _mm512_dpbf16_ps(tile[r][1], x, right);
    }
  }
  const auto mask = static_cast<uint32_t>(columns >= 32 ? ~0U : (1U << columns) - 1);
#pragma GCC unroll 14
  for (int64_t r = 0; r < kRows; ++r) {
    if (r >= rows) break;
    for (int64_t half = 0; half < 2; ++half) {
      const auto lanes = static_cast<__mmask16>(mask >> (16 * half));
      float* to = c + r * ldc + 16 * half;
      __m512 sum = tile[r][half];
      if (add) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(lanes, to));
      _mm512_mask_storeu_ps(to, lanes, sum);
    }
  }
}

using MakeTileBf16 = void (*)(int64_t pairs, const int32_t* a, const int32_t* b, float* c, int64_t ldc, int64_t rows,
                              int64_t columns, bool add);
template <int64_t kRowStride, int64_t kStep, size_t... kHalves>
constexpr std::array<MakeTileBf16, sizeof...(kHalves)> bf16_makers(std::index_sequence<kHalves...>) {
  return {make_tile_bf16<2 * (kHalves + 1), kRowStride, kStep>...};
}
constexpr auto kMakeFromRowsBf16 = bf16_makers<kPaddedPairs, 1>(kTileHeights);
constexpr auto kMakeFromColumnsBf16 = bf16_makers<1, kTileRows>(kTileHeights);

// Strips of A: pair p of row r at r * kPaddedPairs + p.
void copy_left_bf16(int64_t rows, int64_t depth, const float* a, int64_t lda, int32_t* to) {
  const int64_t whole = (rows + kTileRows - 1) / kTileRows * kTileRows;
  for (int64_t i = 0; i < whole; ++i) {
    for (int64_t p = 0; p < depth; p += 32) {
      const Pairs pairs = i < rows ? round_neighbours(a + i * lda + p, depth - p) : _mm512_setzero_si512();
      _mm512_storeu_si512(to + i * kPaddedPairs + p / 2, pairs);
    }
  }
}

// Strips of A, which is stored transposed: pair p of row r at r + p * kTileRows.
void copy_left_transposed_bf16(int64_t rows, int64_t depth, const float* a, int64_t lda, int32_t* to) {
  for (int64_t p = 0; p < depth; p += 2) {
    for (int64_t i = 0; i < rows; i += kTileRows) {
      const float* from = a + p * lda + i;
      const Pairs pairs = round_rows(from, p + 1 < depth ? from + lda : nullptr, std::min(kTileRows, rows - i));
      int32_t* strip = to + i / kTileRows * kLeftPairs + p / 2 * kTileRows;
      _mm512_mask_storeu_epi32(strip, static_cast<__mmask16>((1U << kTileRows) - 1), pairs);
    }
  }
}

// Strips of B: pair p of a column at p * kTileColumns + column.
void copy_right_bf16(int64_t depth, int64_t columns, const float* b, int64_t ldb, int32_t* to) {
  for (int64_t j = 0; j < columns; j += kTileColumns, to += kRightPairs) {
    for (int64_t p = 0; p < depth; p += 2) {
      const float* from = b + p * ldb + j;
      const float* next = p + 1 < depth ? from + ldb : nullptr;
      for (int64_t half = 0; half < kTileColumns; half += 16) {
        const int64_t width = columns - j - half;
        const Pairs pairs = width <= 0 ? _mm512_setzero_si512()
                                       : round_rows(from + half, next == nullptr ? nullptr : next + half, width);
        _mm512_storeu_si512(to + p / 2 * kTileColumns + half, pairs);
      }
    }
  }
}

// Strips of B, which is stored transposed.
void copy_right_transposed_bf16(int64_t depth, int64_t columns, const float* b, int64_t ldb, int32_t* to) {
  const int64_t whole = (columns + kTileColumns - 1) / kTileColumns * kTileColumns;
  for (int64_t j = 0; j < whole; j += kLanes) {
    int32_t* strip = to + j / kTileColumns * kRightPairs + j % kTileColumns;
    for (int64_t p = 0; p < depth; p += 32) {
      Vector rows[kLanes];
      for (int64_t i = 0; i < kLanes; ++i) {
        const Pairs pairs =
            j + i < columns ? round_neighbours(b + (j + i) * ldb + p, depth - p) : _mm512_setzero_si512();
        std::memcpy(&rows[i], &pairs, sizeof(pairs));
      }
      transpose(rows);
      const int64_t count = std::min(kLanes, (depth - p + 1) / 2);
      for (int64_t i = 0; i < count; ++i) std::memcpy(strip + (p / 2 + i) * kTileColumns, &rows[i], sizeof(rows[i]));
    }
  }
}

struct Bf16Format {
  using Element = int32_t;
  static constexpr int64_t kLeftRow = kPaddedPairs, kStripOfLeft = kLeftPairs, kStripOfRight = kRightPairs;
  static constexpr int64_t kUnit = 2;  // a pair stays together

  static void copy_a(bool transposed, int64_t rows, int64_t depth, const float* a, int64_t lda, int32_t* to) {
    transposed ? copy_left_transposed_bf16(rows, depth, a, lda, to) : copy_left_bf16(rows, depth, a, lda, to);
  }
  static void copy_b(bool transposed, int64_t depth, int64_t columns, const float* b, int64_t ldb, int32_t* to) {
    transposed ? copy_right_transposed_bf16(depth, columns, b, ldb, to) : copy_right_bf16(depth, columns, b, ldb, to);
  }
  static MakeTileBf16 maker(bool transposed, int64_t height) {
    return (transposed ? kMakeFromColumnsBf16 : kMakeFromRowsBf16)[static_cast<size_t>((height - 1) / 2)];
  }
};

}  // namespace

extern void multiply_bf16(const Gemm& gemm, float* scratch);
void multiply_bf16(const Gemm& gemm, float* scratch) { multiply_in<Bf16Format>(gemm, scratch); }

extern const int64_t kColumnsOfTile;
const int64_t kColumnsOfTile = kTileColumns;

extern void pack_bf16(const Gemm& gemm, float* to);
void pack_bf16(const Gemm& gemm, float* to) { pack_in<Bf16Format>(gemm, to); }

}  // namespace verbund::VERBUND_SIMD_NAME
