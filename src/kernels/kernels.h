// SPDX-License-Identifier: Apache-2.0
// Kernels are the CPU's implementations of the operations: one table per instruction set, and portable functions for
// the rest. Every operation splits its rows or columns over OpenMP threads so that the result does not depend on their
// number. (A GPU has kernels of its own: src/cuda.)
#pragma once

#include <span>
#include <string>

#include "core/interval.h"
#include "kernels/operations.h"

namespace verbund {

constexpr int64_t kGemmScratch = 1 << 18;  // floats of scratch memory that a GEMM needs

struct Kernels {
  const char* name;
  // A GEMM on the calling thread alone. The result does not depend on how it is cut into rows and columns of C, which
  // is cheapest at multiples of the tile.
  void (*multiply)(const Gemm&, float* scratch);
  void (*pack)(const Gemm&, float* to);
  int64_t tile_rows, tile_columns;
  // One row of a dropout mask as floats (0 or scale), for the reference model and the tests. Features are counted from
  // 128 first_block; the weights of attention head h start at block 512 h.
  void (*dropout_row)(const DropoutKey&, uint64_t sentence, uint32_t position, uint32_t first_block, int64_t features,
                      float* mask);
#define VERBUND_POINTER(operation, Arguments) void (*operation)(const Arguments&);
  VERBUND_SIMD_OPERATIONS(VERBUND_POINTER)
#undef VERBUND_POINTER
};

// All tables that this machine can run, the baseline first.
std::span<const Kernels* const> available_kernels();
// The best table for this machine, or the one of this name: baseline, avx2 or avx512.
const Kernels& choose_kernels(const std::string& name = "");

// Whether this processor multiplies pairs of bfloat16 (AVX512-BF16).
bool has_bf16_gemm();

enum class GemmOperands { kFloat, kRoundedToBf16 };  // the latter only where has_bf16_gemm; sums stay in float

// A GEMM on all OpenMP threads.
void multiply(const Kernels& table, GemmOperands operands, const Gemm& gemm);

// A GEMM with few rows spends much of its time on packing B. One that is used again and again, such as a weight while
// translating, is packed once: gemm.packed_b is then `to`. The bits of the result are the same.
void pack(const Kernels& table, GemmOperands operands, const Gemm& gemm, float* to);
// Floats that a packed B [k, n] takes.
int64_t packed_size(const Kernels& table, GemmOperands operands, int64_t n, int64_t k);

// The bits of these depend neither on the instruction set nor on the number of threads.
namespace portable {
#define VERBUND_FUNCTION(operation, Arguments) void operation(const Arguments&);
VERBUND_PORTABLE_OPERATIONS(VERBUND_FUNCTION)
#undef VERBUND_FUNCTION
Magnitude measure(const float* values, std::span<const Interval> intervals);

inline constexpr size_t kBlockSize = 32768;  // values that one thread works on at a time
}  // namespace portable

}  // namespace verbund
