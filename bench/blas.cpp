// SPDX-License-Identifier: Apache-2.0
#include "bench/blas.h"

#include <dlfcn.h>

namespace verbund {
namespace {

// cblas_sgemm with its enumerations as what they are in every BLAS: row-major 101, as it is 111, transposed 112.
using CblasSgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
using DnnlSgemm = int (*)(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
                          const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);

template <typename Function>
Function find(const char* library, const char* name) {
  void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  return handle == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(handle, name));
}

void add_cblas(std::vector<Blas>& libraries, const char* name, const char* file) {
  const auto sgemm = find<CblasSgemm>(file, "cblas_sgemm");
  if (sgemm == nullptr) return;
  libraries.push_back({name, [sgemm](const Gemm& p) {
                         const auto narrow = [](int64_t x) { return static_cast<int>(x); };
                         sgemm(101, p.transpose_a ? 112 : 111, p.transpose_b ? 112 : 111, narrow(p.m), narrow(p.n),
                               narrow(p.k), 1, p.a.f32(), narrow(p.lda), p.b.f32(), narrow(p.ldb), p.add ? 1.0f : 0.0f,
                               p.c.f32(), narrow(p.ldc));
                       }});
}

void add_dnnl(std::vector<Blas>& libraries, const char* file) {
  const auto sgemm = find<DnnlSgemm>(file, "dnnl_sgemm");
  if (sgemm == nullptr) return;
  libraries.push_back({"oneDNN", [sgemm](const Gemm& p) {
                         sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.m, p.n, p.k, 1, p.a.f32(), p.lda,
                               p.b.f32(), p.ldb, p.add ? 1.0f : 0.0f, p.c.f32(), p.ldc);
                       }});
}

}  // namespace

std::vector<Blas> blas_libraries() {
  std::vector<Blas> libraries = {
      {"Verbund", [](const Gemm& product) { multiply(choose_kernels(), GemmOperands::kFloat, product); }}};
  add_cblas(libraries, "OpenBLAS", "libopenblas.so.0");
  add_cblas(libraries, "BLIS", "libblis.so.4");
  add_dnnl(libraries, "libdnnl.so.2");
  return libraries;
}

}  // namespace verbund
