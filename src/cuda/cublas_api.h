// SPDX-License-Identifier: Apache-2.0
// The functions of cuBLAS, NVIDIA's GEMM library, that are used, declared as cublas_v2.h does, and the table that
// the loader fills with them. tests/unit/cuda/api_test.cpp compares them with the real header.
#pragma once

#include <cstddef>

#include "cuda/driver_api.h"

namespace verbund::cuda {

enum cublasStatus_t : int {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};

enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };

enum cudaDataType : int { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };

enum cublasComputeType_t : int {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

enum cublasMath_t : int {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};

enum cublasGemmAlgo_t : int { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };

enum libraryPropertyType : int { MAJOR_VERSION = 0, MINOR_VERSION = 1, PATCH_LEVEL = 2 };

using cublasHandle_t = struct cublasContext*;

// X(result, name, (parameters)), with the names that the library exports.
#define VERBUND_CUDA_CUBLAS_FUNCTIONS(X)                                                                          \
  X(cublasStatus_t, cublasCreate_v2, (cublasHandle_t * handle))                                                   \
  X(cublasStatus_t, cublasDestroy_v2, (cublasHandle_t handle))                                                    \
  X(cublasStatus_t, cublasGetVersion_v2, (cublasHandle_t handle, int* version))                                   \
  X(cublasStatus_t, cublasGetProperty, (libraryPropertyType property, int* value))                                \
  X(cublasStatus_t, cublasSetStream_v2, (cublasHandle_t handle, CUstream stream))                                 \
  X(cublasStatus_t, cublasSetWorkspace_v2, (cublasHandle_t handle, void* workspace, std::size_t bytes))           \
  X(cublasStatus_t, cublasSetMathMode, (cublasHandle_t handle, cublasMath_t mode))                                \
  X(cublasStatus_t, cublasGemmEx,                                                                                 \
    (cublasHandle_t handle, cublasOperation_t operation_a, cublasOperation_t operation_b, int m, int n, int k,    \
     const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b, cudaDataType type_b, int ldb, \
     const void* beta, void* c, cudaDataType type_c, int ldc, cublasComputeType_t compute,                        \
     cublasGemmAlgo_t algorithm))                                                                                 \
  X(const char*, cublasGetStatusString, (cublasStatus_t status))

struct Cublas {
#define VERBUND_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  VERBUND_CUDA_CUBLAS_FUNCTIONS(VERBUND_MEMBER)
#undef VERBUND_MEMBER
};

}  // namespace verbund::cuda
