// Matrix products by cuBLAS.
#pragma once

#include "config/device_config.h"
#include "cuda/context.h"
#include "kernels/kernels.h"

namespace verbund::cuda {

class GemmRunner {
 public:
  // On this stream alone, with a workspace of their own: so their bits are the same on every run.
  GemmRunner(Context& context, const Cublas& cublas, CUstream stream, Precision precision);
  ~GemmRunner();
  GemmRunner(const GemmRunner&) = delete;
  GemmRunner& operator=(const GemmRunner&) = delete;

  void multiply(const Gemm& product);

 private:
  void check(cublasStatus_t status, const char* call) const;

  Context& context_;
  const Cublas& cublas_;
  Precision precision_;
  cublasHandle_t handle_ = nullptr;
  CUdeviceptr workspace_ = 0;
};

}  // namespace verbund::cuda
