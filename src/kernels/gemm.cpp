// SPDX-License-Identifier: Apache-2.0
// GEMM on a CPU, cut over its threads.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "kernels/kernels.h"

namespace verbund {

namespace avx512bf16 {  // simd/gemm_bf16.cpp
void multiply_bf16(const Gemm& gemm, float* scratch);
void pack_bf16(const Gemm& gemm, float* to);
extern const int64_t kColumnsOfTile;
}  // namespace avx512bf16

namespace {

// Each thread's scratch memory, kept for its next GEMM.
float* scratch() {
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  thread_local const std::unique_ptr<float, Free> memory(
      static_cast<float*>(std::aligned_alloc(4096, kGemmScratch * sizeof(float))));
  if (memory == nullptr) {  // inside a parallel region, where nothing can be thrown
    std::fputs("verbund: out of memory for matrix multiplication\n", stderr);
    std::_Exit(1);
  }
  return memory.get();  // NOLINT(clang-analyzer-unix.Malloc): it lives as long as the thread
}

// The number of parts into which the rows and the columns of a result are cut.
struct Grid {
  int64_t rows = 1, columns = 1;
};

// The grid whose parts of A and B, which every thread reads, are smallest together.
Grid cut(const Gemm& gemm, int64_t threads) {
  Grid best;
  double least = 1e30;
  for (int64_t rows = 1; rows <= threads; ++rows) {
    if (threads % rows != 0) continue;
    const int64_t columns = threads / rows;
    const double size = static_cast<double>(gemm.m) / static_cast<double>(rows) +
                        static_cast<double>(gemm.n) / static_cast<double>(columns);
    if (size < least) best = {rows, columns}, least = size;
  }
  return best;
}

int64_t tile_columns(const Kernels& table, GemmOperands operands) {
  return operands == GemmOperands::kRoundedToBf16 ? avx512bf16::kColumnsOfTile : table.tile_columns;
}

// The start of part `index` of `parts`, in whole tiles.
int64_t part_begin(int64_t size, int64_t tile, int64_t index, int64_t parts) {
  return std::min(size, (size + tile - 1) / tile * index / parts * tile);
}

void multiply_part(const Kernels& table, GemmOperands operands, Gemm gemm, const Grid& grid, int64_t index) {
  const int64_t row = index / grid.columns, column = index % grid.columns;
  const int64_t i = part_begin(gemm.m, table.tile_rows, row, grid.rows);
  const int64_t tile = tile_columns(table, operands), j = part_begin(gemm.n, tile, column, grid.columns);
  gemm.m = part_begin(gemm.m, table.tile_rows, row + 1, grid.rows) - i;
  gemm.n = part_begin(gemm.n, tile, column + 1, grid.columns) - j;
  gemm.a = gemm.a + (gemm.transpose_a ? i : i * gemm.lda);
  gemm.b = gemm.b + (gemm.transpose_b ? j * gemm.ldb : j);
  gemm.c = gemm.c + (i * gemm.ldc + j);
  if (gemm.packed_b != nullptr) gemm.packed_b += packed_size(table, operands, j, gemm.k);
  (operands == GemmOperands::kRoundedToBf16 ? avx512bf16::multiply_bf16 : table.multiply)(gemm, scratch());
}

}  // namespace

bool has_bf16_gemm() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

void multiply(const Kernels& table, GemmOperands operands, const Gemm& gemm) {
  // A small GEMM is done before other threads have woken up.
  constexpr int64_t kWorthThreads = 1 << 18;
  const int64_t threads = gemm.m * gemm.n * gemm.k < kWorthThreads ? 1 : omp_get_max_threads();
  const Grid grid = cut(gemm, threads);
#pragma omp parallel for schedule(static) num_threads(static_cast <int>(threads)) if (threads > 1)
  for (int64_t index = 0; index < threads; ++index) multiply_part(table, operands, gemm, grid, index);
}

void pack(const Kernels& table, GemmOperands operands, const Gemm& gemm, float* to) {
  (operands == GemmOperands::kRoundedToBf16 ? avx512bf16::pack_bf16 : table.pack)(gemm, to);
}

int64_t packed_size(const Kernels& table, GemmOperands operands, int64_t n, int64_t k) {
  const int64_t depth = operands == GemmOperands::kRoundedToBf16 ? (k + 1) / 2 : k;
  const int64_t tile = tile_columns(table, operands);
  return (n + tile - 1) / tile * tile * depth;
}

}  // namespace verbund
