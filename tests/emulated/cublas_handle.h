// SPDX-License-Identifier: Apache-2.0
// A handle of the emulated cuBLAS, and its refusals.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "cuda/cublas_api.h"
#include "emulated/device_work.h"
#include "emulated/messages.h"

namespace verbund::cuda {

struct cublasContext {
  CUcontext context;
  CUstream stream = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

#define EMULATED_DECLARE(result, name, parameters) EMULATED_EXPORT result name parameters;
VERBUND_CUDA_CUBLAS_FUNCTIONS(EMULATED_DECLARE)
#undef EMULATED_DECLARE

}  // namespace verbund::cuda

namespace emulated {

template <typename... T>
verbund::cuda::cublasStatus_t refuse(verbund::cuda::cublasStatus_t status, fmt::format_string<T...> format,
                                     T&&... values) {
  say("{}: {}", fmt::format(format, std::forward<T>(values)...), verbund::cuda::cublasGetStatusString(status));
  return status;
}

// That it is a handle, and of this thread's device: cuBLAS works for the device that was current when it was made.
verbund::cuda::cublasStatus_t check_handle(verbund::cuda::cublasHandle_t handle, const char* function);

}  // namespace emulated
