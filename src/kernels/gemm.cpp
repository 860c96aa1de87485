#include "kernels/gemm.h"

#include <cblas.h>

#include <string>

namespace verbund {
namespace {

std::vector<ProductShape>* product_log = nullptr;

// Row-major C[m, n] = op(A) op(B) + beta C.
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  if (m == 0 || n == 0) return;
  if (product_log != nullptr) product_log->push_back({transpose_a, transpose_b, m, n, k, beta});
  cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans,
              static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0f, a, static_cast<int>(lda), b,
              static_cast<int>(ldb), beta, c, static_cast<int>(ldc));
}

float beta_of(Into into) { return into == Into::kAdd ? 1.0f : 0.0f; }

}  // namespace

void multiply_transposed(int64_t n, int64_t out, int64_t in, ConstMatrixRows x, const float* w, MatrixRows y,
                         Into into) {
  gemm(false, true, n, out, in, x.data, x.stride, w, in, beta_of(into), y.data, y.stride);
}

void multiply_plain(int64_t n, int64_t in, int64_t out, ConstMatrixRows dy, const float* w, MatrixRows dx, Into into) {
  gemm(false, false, n, in, out, dy.data, dy.stride, w, in, beta_of(into), dx.data, dx.stride);
}

void add_outer_product(int64_t n, int64_t out, int64_t in, ConstMatrixRows dy, ConstMatrixRows x, float* dw) {
  gemm(true, false, out, in, n, dy.data, dy.stride, x.data, x.stride, 1.0f, dw, in);
}

std::string gemm_library() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ... Haswell MAX_THREADS=64": name and version are enough.
  const std::string configuration = openblas_get_config();
  return configuration.substr(0, configuration.find(' ', configuration.find(' ') + 1));
}

void log_products(std::vector<ProductShape>* log) { product_log = log; }

void repeat_product(const ProductShape& s, const float* a, const float* b, float* c) {
  gemm(s.transpose_a, s.transpose_b, s.m, s.n, s.k, a, s.transpose_a ? s.m : s.k, b, s.transpose_b ? s.k : s.n, s.beta,
       c, s.n);
}

}  // namespace verbund
