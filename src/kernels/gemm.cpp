#include "kernels/gemm.h"

#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.h"

namespace verbund {
namespace {

std::vector<ProductShape>* product_log = nullptr;

bool use_onednn() {
  static const bool chosen = [] {
    const char* wish = std::getenv("VERBUND_GEMM");
    if (wish == nullptr || *wish == '\0' || std::strcmp(wish, "onednn") == 0) return true;
    if (std::strcmp(wish, "openblas") == 0) return false;
    fail_usage("VERBUND_GEMM is \"{}\", but must be onednn or openblas", wish);
  }();
  return chosen;
}

// Row-major C[m, n] = op(A) op(B) + beta C.
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  if (m == 0 || n == 0) return;
  if (product_log != nullptr) product_log->push_back({transpose_a, transpose_b, m, n, k, beta});
  if (use_onednn()) {
    const dnnl_status_t status = dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1.0f, a, lda, b,
                                            ldb, beta, c, ldc);
    if (status != dnnl_success) fail("a matrix product of {} x {} x {} failed: oneDNN error {}", m, n, k, static_cast<int>(status));
  } else {
    cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans,
                static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0f, a, static_cast<int>(lda), b,
                static_cast<int>(ldb), beta, c, static_cast<int>(ldc));
  }
}

float beta_of(Into into) { return into == Into::kAdd ? 1.0f : 0.0f; }

}  // namespace

void multiply_transposed(int64_t n, int64_t out, int64_t in, ConstMatrixRows x, const float* w, MatrixRows y, Into into) {
  gemm(false, true, n, out, in, x.data, x.stride, w, in, beta_of(into), y.data, y.stride);
}

void multiply_plain(int64_t n, int64_t in, int64_t out, ConstMatrixRows dy, const float* w, MatrixRows dx, Into into) {
  gemm(false, false, n, in, out, dy.data, dy.stride, w, in, beta_of(into), dx.data, dx.stride);
}

void add_outer_product(int64_t n, int64_t out, int64_t in, ConstMatrixRows dy, ConstMatrixRows x, float* dw) {
  gemm(true, false, out, in, n, dy.data, dy.stride, x.data, x.stride, 1.0f, dw, in);
}

const char* gemm_library() {
  static const std::string name = [] {
    const dnnl_version_t* version = dnnl_version();
    return use_onednn() ? fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch)
                        : std::string("OpenBLAS ") + OPENBLAS_VERSION;
  }();
  return name.c_str();
}

void log_products(std::vector<ProductShape>* log) { product_log = log; }

void repeat_product(const ProductShape& s, const float* a, const float* b, float* c) {
  gemm(s.transpose_a, s.transpose_b, s.m, s.n, s.k, a, s.transpose_a ? s.m : s.k, b, s.transpose_b ? s.k : s.n, s.beta,
       c, s.n);
}

}  // namespace verbund
