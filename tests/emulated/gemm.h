// SPDX-License-Identifier: Apache-2.0
// GEMM on the CPU as cuBLAS defines it (column-major, C = alpha op(A) op(B) + beta C), with sums in float whatever the
// type of the operands.
#pragma once

#include <cstddef>

#include "cuda/cublas_api.h"

namespace emulated {

struct Matrix {
  void* data;
  verbund::cuda::cudaDataType type;
  int leading;  // elements from one column to the next
  bool transposed;
};

struct Product {
  int m, n, k;  // C is [m, n], op(A) [m, k], op(B) [k, n]
  float alpha, beta;
  Matrix a, b, c;
  bool tf32;  // operands of float are rounded to tf32
};

// On the calling thread. Every element is one sum in the order of k, whatever the sizes; C is not read if beta is 0.
void multiply(const Product& product);

size_t size_of(verbund::cuda::cudaDataType type);

}  // namespace emulated
