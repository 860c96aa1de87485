// Matrix products, cut over the threads.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.h"

namespace verbund {

// Rows that may be part of wider ones: `stride` floats lie between their beginnings.
struct MatrixRows {
  float* data;
  int64_t stride;
};
struct ConstMatrixRows {
  const float* data;
  int64_t stride;
  ConstMatrixRows(const float* from, int64_t row_stride) : data(from), stride(row_stride) {}
  ConstMatrixRows(MatrixRows rows) : data(rows.data), stride(rows.stride) {}  // NOLINT: meant to be implicit
};

enum class Into { kReplace, kAdd };

// y[n, out] = x[n, in] w[out, in]^T
void multiply_transposed(int64_t n, int64_t out, int64_t in, ConstMatrixRows x, const float* w, MatrixRows y,
                         Into into);
// dx[n, in] = dy[n, out] w[out, in]
void multiply_plain(int64_t n, int64_t in, int64_t out, ConstMatrixRows dy, const float* w, MatrixRows dx, Into into);
// dw[out, in] += dy[n, out]^T x[n, in]
void add_outer_product(int64_t n, int64_t out, int64_t in, ConstMatrixRows dy, ConstMatrixRows x, float* dw);

// Any product, on all threads of OpenMP.
void multiply(const Product& product);

// Every product from now on is added to `log` (null: no more), for benchmarks that time the
// products alone.
void log_products(std::vector<Product>* log);

}  // namespace verbund
