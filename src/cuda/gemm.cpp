// SPDX-License-Identifier: Apache-2.0
#include "cuda/gemm.h"

#include <limits>

#include "core/error.h"

namespace verbund::cuda {
namespace {

constexpr size_t kWorkspace = 32 << 20;  // what cuBLAS advises for the largest GPUs

cudaDataType type_of(FloatType type) {
  switch (type) {
    case FloatType::kFp32:
      return CUDA_R_32F;
    case FloatType::kBf16:
      return CUDA_R_16BF;
    case FloatType::kFp16:
      return CUDA_R_16F;
  }
  return CUDA_R_32F;
}

int to_int(int64_t size, const char* what) {
  if (size < 0 || size > std::numeric_limits<int>::max()) fail("{} of a GEMM is {}: cuBLAS counts to 2^31", what, size);
  return static_cast<int>(size);
}

}  // namespace

CublasGemm::CublasGemm(Context& context, const Cublas& cublas, CUstream stream, Precision precision)
    : context_(context), cublas_(cublas), precision_(precision) {
  check(cublas_.cublasCreate_v2(&handle_), "cublasCreate");
  check(cublas_.cublasSetStream_v2(handle_, stream), "cublasSetStream");
  context_.check(context_.driver().cuMemAlloc_v2(&workspace_, kWorkspace), "cuMemAlloc");
  check(cublas_.cublasSetWorkspace_v2(handle_, reinterpret_cast<void*>(workspace_), kWorkspace),  // NOLINT
        "cublasSetWorkspace");
  // Sums in 16 bits between blocks of a GEMM would be faster, and worse.
  check(cublas_.cublasSetMathMode(handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION), "cublasSetMathMode");
}

CublasGemm::~CublasGemm() {
  if (handle_ != nullptr) cublas_.cublasDestroy_v2(handle_);
  if (workspace_ != 0) context_.driver().cuMemFree_v2(workspace_);
}

void CublasGemm::check(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail("GPU {}, {}: {} says {} ({}){}", context_.number(), context_.name(), call, cublas_.cublasGetStatusString(status),
       static_cast<int>(status), context_.last_kernel());
}

// cuBLAS is column-major: our C is its C transposed, op(B)^T op(A)^T, and what it reads as B^T is our B.
void CublasGemm::multiply(const Gemm& p) {
  if (p.m == 0 || p.n == 0) return;
  if (p.a.type != p.b.type) fail("the operands of a GEMM have two types");
  const bool tf32 = precision_ == Precision::kTf32 && p.a.type == FloatType::kFp32;
  const float one = 1, beta = p.add ? 1.0f : 0.0f;
  const auto operation = [](bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; };
  context_.launched("cublasGemmEx");
  check(cublas_.cublasGemmEx(handle_, operation(p.transpose_b), operation(p.transpose_a), to_int(p.n, "n"),
                             to_int(p.m, "m"), to_int(p.k, "k"), &one, p.b.data, type_of(p.b.type),
                             to_int(p.ldb, "ldb"), p.a.data, type_of(p.a.type), to_int(p.lda, "lda"), &beta, p.c.data,
                             type_of(p.c.type), to_int(p.ldc, "ldc"),
                             tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

}  // namespace verbund::cuda
