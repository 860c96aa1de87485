// SPDX-License-Identifier: Apache-2.0
// CublasGemm computes GEMMs by cuBLAS.
#pragma once

#include "config/device_config.h"
#include "cuda/context.h"
#include "kernels/operations.h"

namespace verbund::cuda {

class CublasGemm {
 public:
  // Works on this stream alone, with a workspace of its own: so the bits are the same on every run.
  CublasGemm(Context& context, const Cublas& cublas, CUstream stream, Precision precision);
  ~CublasGemm();
  CublasGemm(const CublasGemm&) = delete;
  CublasGemm& operator=(const CublasGemm&) = delete;

  void multiply(const Gemm& gemm);

 private:
  void check(cublasStatus_t status, const char* call) const;

  Context& context_;
  const Cublas& cublas_;
  Precision precision_;
  cublasHandle_t handle_ = nullptr;
  CUdeviceptr workspace_ = 0;
};

}  // namespace verbund::cuda
