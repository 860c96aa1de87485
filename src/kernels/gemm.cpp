#include "kernels/gemm.h"

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace verbund {

namespace avx512bf16 {  // simd/product_bf16.cpp
void multiply_bf16(const Gemm& product, float* scratch);
}

namespace {

// Scratch of each thread, kept for its next product.
float* scratch() {
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  thread_local const std::unique_ptr<float, Free> memory(
      static_cast<float*>(std::aligned_alloc(4096, kProductScratch * sizeof(float))));
  if (memory == nullptr) {  // inside a parallel region, where nothing can be thrown
    std::fputs("verbund: there is no memory for matrix products\n", stderr);
    std::_Exit(1);
  }
  return memory.get();  // NOLINT(clang-analyzer-unix.Malloc): it lives as long as the thread
}

// Into how many parts the rows and the columns of a result are cut.
struct Grid {
  int64_t rows = 1, columns = 1;
};

// Every thread reads a part of A and a part of B: together they should be small.
Grid cut(const Gemm& product, int64_t threads) {
  Grid best;
  double least = 1e30;
  for (int64_t rows = 1; rows <= threads; ++rows) {
    if (threads % rows != 0) continue;
    const int64_t columns = threads / rows;
    const double size = static_cast<double>(product.m) / static_cast<double>(rows) +
                        static_cast<double>(product.n) / static_cast<double>(columns);
    if (size < least) best = {rows, columns}, least = size;
  }
  return best;
}

// Where part `index` of `parts` begins, in whole tiles.
int64_t part_begin(int64_t size, int64_t tile, int64_t index, int64_t parts) {
  return std::min(size, (size + tile - 1) / tile * index / parts * tile);
}

void multiply_part(const Kernels& table, Factors factors, Gemm product, const Grid& grid, int64_t index) {
  const int64_t row = index / grid.columns, column = index % grid.columns;
  const int64_t i = part_begin(product.m, table.tile_rows, row, grid.rows);
  const int64_t j = part_begin(product.n, table.tile_columns, column, grid.columns);
  product.m = part_begin(product.m, table.tile_rows, row + 1, grid.rows) - i;
  product.n = part_begin(product.n, table.tile_columns, column + 1, grid.columns) - j;
  product.a = product.a + (product.transpose_a ? i : i * product.lda);
  product.b = product.b + (product.transpose_b ? j * product.ldb : j);
  product.c = product.c + (i * product.ldc + j);
  (factors == Factors::kRoundedToBf16 ? avx512bf16::multiply_bf16 : table.multiply)(product, scratch());
}

}  // namespace

bool has_bf16_products() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

void multiply(const Kernels& table, Factors factors, const Gemm& product) {
  // A small product is done before other threads have woken up.
  constexpr int64_t kWorthThreads = 1 << 18;
  const int64_t threads = product.m * product.n * product.k < kWorthThreads ? 1 : omp_get_max_threads();
  const Grid grid = cut(product, threads);
#pragma omp parallel for schedule(static) num_threads(static_cast <int>(threads)) if (threads > 1)
  for (int64_t index = 0; index < threads; ++index) multiply_part(table, factors, product, grid, index);
}

}  // namespace verbund
