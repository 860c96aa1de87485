// SPDX-License-Identifier: Apache-2.0
// Our declarations of NVIDIA's functions are those of NVIDIA's headers, where there are any: the compiler decides, and
// this file is all there is to run. A type is the same if it goes through the same registers and memory: integers
// exactly, enums as enums, handles as pointers to something unknown.
#include <gtest/gtest.h>

#include <type_traits>

#include "cuda/cublas_api.h"
#include "cuda/driver_api.h"
#include "cuda/nccl_api.h"
#include "cuda/nvrtc_api.h"

#if __has_include(<cuda.h>)
#include <cuda.h>
// CUDA 13 gives this name another function, of the same signature; ours is the one that all drivers have.
#undef cuEventElapsedTime
#if CUDA_VERSION >= 13000
extern "C" decltype(cuEventElapsedTime_v2) cuEventElapsedTime;
#endif
#endif
#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
#endif
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif
#if __has_include(<nccl.h>) && __has_include(<cuda_runtime.h>)
#define VERBUND_NCCL_HEADER
#include <nccl.h>
#endif

namespace verbund::cuda {
namespace {

template <typename Ours, typename Theirs>
constexpr bool same() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using OurTarget = std::remove_pointer_t<Ours>;
    using TheirTarget = std::remove_pointer_t<Theirs>;
    if constexpr (std::is_class_v<OurTarget> && std::is_class_v<TheirTarget>) {
      return true;  // handles point to what nobody knows
    } else {
      return std::is_const_v<OurTarget> == std::is_const_v<TheirTarget> &&
             same<std::remove_const_t<OurTarget>, std::remove_const_t<TheirTarget>>();
    }
  } else if constexpr ((std::is_enum_v<Ours> && std::is_enum_v<Theirs>) ||
                       (std::is_class_v<Ours> && std::is_class_v<Theirs>)) {  // by value: ncclUniqueId
    return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs);
  } else {
    return std::is_same_v<Ours, Theirs>;
  }
}

template <typename Ours, typename Theirs>
struct SameFunction : std::false_type {};
template <typename OurResult, typename... Ours, typename TheirResult, typename... Theirs>
requires(sizeof...(Ours) == sizeof...(Theirs)) struct SameFunction<OurResult (*)(Ours...), TheirResult(Theirs...)>
    : std::bool_constant<same<OurResult, TheirResult>() && (same<Ours, Theirs>() && ...)> {
};

// That the comparison can tell what differs.
static_assert(SameFunction<int (*)(unsigned, CUstream*), int(unsigned, CUstream*)>::value);
static_assert(SameFunction<CUresult (*)(CUcontext), ncclResult_t(CUstream)>::value, "enums and handles of any name");
static_assert(!SameFunction<int (*)(unsigned), int(int)>::value);
static_assert(!SameFunction<int (*)(void*), int(const void*)>::value);
static_assert(!SameFunction<int (*)(int), int(int, int)>::value);
static_assert(!SameFunction<int (*)(int), int(CUresult)>::value);
static_assert(!SameFunction<int (*)(CUstream*), int(CUstream)>::value);
static_assert(!SameFunction<int (*)(CUdeviceptr), int(void*)>::value);

#define SAME_VALUE(name) \
  static_assert(static_cast<long long>(::name) == static_cast<long long>(::verbund::cuda::name), #name);

#ifdef CUDA_VERSION
SAME_VALUE(CUDA_SUCCESS)
SAME_VALUE(CUDA_ERROR_INVALID_VALUE)
SAME_VALUE(CUDA_ERROR_OUT_OF_MEMORY)
SAME_VALUE(CUDA_ERROR_NOT_INITIALIZED)
SAME_VALUE(CUDA_ERROR_DEINITIALIZED)
SAME_VALUE(CUDA_ERROR_STUB_LIBRARY)
SAME_VALUE(CUDA_ERROR_DEVICE_UNAVAILABLE)
SAME_VALUE(CUDA_ERROR_NO_DEVICE)
SAME_VALUE(CUDA_ERROR_INVALID_DEVICE)
SAME_VALUE(CUDA_ERROR_INVALID_IMAGE)
SAME_VALUE(CUDA_ERROR_INVALID_CONTEXT)
SAME_VALUE(CUDA_ERROR_NO_BINARY_FOR_GPU)
SAME_VALUE(CUDA_ERROR_ECC_UNCORRECTABLE)
SAME_VALUE(CUDA_ERROR_INVALID_PTX)
SAME_VALUE(CUDA_ERROR_INVALID_SOURCE)
SAME_VALUE(CUDA_ERROR_OPERATING_SYSTEM)
SAME_VALUE(CUDA_ERROR_INVALID_HANDLE)
SAME_VALUE(CUDA_ERROR_ILLEGAL_STATE)
SAME_VALUE(CUDA_ERROR_NOT_FOUND)
SAME_VALUE(CUDA_ERROR_NOT_READY)
SAME_VALUE(CUDA_ERROR_ILLEGAL_ADDRESS)
SAME_VALUE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
SAME_VALUE(CUDA_ERROR_LAUNCH_TIMEOUT)
SAME_VALUE(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE)
SAME_VALUE(CUDA_ERROR_CONTEXT_IS_DESTROYED)
SAME_VALUE(CUDA_ERROR_ASSERT)
SAME_VALUE(CUDA_ERROR_ILLEGAL_INSTRUCTION)
SAME_VALUE(CUDA_ERROR_MISALIGNED_ADDRESS)
SAME_VALUE(CUDA_ERROR_INVALID_ADDRESS_SPACE)
SAME_VALUE(CUDA_ERROR_INVALID_PC)
SAME_VALUE(CUDA_ERROR_LAUNCH_FAILED)
SAME_VALUE(CUDA_ERROR_NOT_PERMITTED)
SAME_VALUE(CUDA_ERROR_NOT_SUPPORTED)
SAME_VALUE(CUDA_ERROR_SYSTEM_NOT_READY)
SAME_VALUE(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
SAME_VALUE(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
SAME_VALUE(CUDA_ERROR_UNKNOWN)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_WARP_SIZE)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_INTEGRATED)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_ECC_ENABLED)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
SAME_VALUE(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
SAME_VALUE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
SAME_VALUE(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)
SAME_VALUE(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
SAME_VALUE(CU_FUNC_ATTRIBUTE_NUM_REGS)
SAME_VALUE(CU_FUNC_ATTRIBUTE_PTX_VERSION)
SAME_VALUE(CU_FUNC_ATTRIBUTE_BINARY_VERSION)
SAME_VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
SAME_VALUE(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
SAME_VALUE(CU_STREAM_DEFAULT)
SAME_VALUE(CU_STREAM_NON_BLOCKING)
SAME_VALUE(CU_EVENT_DEFAULT)
SAME_VALUE(CU_EVENT_BLOCKING_SYNC)
SAME_VALUE(CU_EVENT_DISABLE_TIMING)
static_assert(sizeof(::CUuuid) == sizeof(::verbund::cuda::CUuuid));
static_assert(kHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
#define SAME_DRIVER_FUNCTION(result, name, parameters) \
  static_assert(SameFunction<decltype(Driver::name), decltype(::name)>::value, #name);
VERBUND_CUDA_DRIVER_FUNCTIONS(SAME_DRIVER_FUNCTION)
#endif

#ifdef __NVRTC_H__
SAME_VALUE(NVRTC_SUCCESS)
SAME_VALUE(NVRTC_ERROR_OUT_OF_MEMORY)
SAME_VALUE(NVRTC_ERROR_PROGRAM_CREATION_FAILURE)
SAME_VALUE(NVRTC_ERROR_INVALID_INPUT)
SAME_VALUE(NVRTC_ERROR_INVALID_PROGRAM)
SAME_VALUE(NVRTC_ERROR_INVALID_OPTION)
SAME_VALUE(NVRTC_ERROR_COMPILATION)
SAME_VALUE(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
SAME_VALUE(NVRTC_ERROR_INTERNAL_ERROR)
#define SAME_NVRTC_FUNCTION(result, name, parameters) \
  static_assert(SameFunction<decltype(Nvrtc::name), decltype(::name)>::value, #name);
VERBUND_CUDA_NVRTC_FUNCTIONS(SAME_NVRTC_FUNCTION)
#endif

#ifdef CUBLAS_V2_H_
SAME_VALUE(CUBLAS_STATUS_SUCCESS)
SAME_VALUE(CUBLAS_STATUS_NOT_INITIALIZED)
SAME_VALUE(CUBLAS_STATUS_ALLOC_FAILED)
SAME_VALUE(CUBLAS_STATUS_INVALID_VALUE)
SAME_VALUE(CUBLAS_STATUS_ARCH_MISMATCH)
SAME_VALUE(CUBLAS_STATUS_MAPPING_ERROR)
SAME_VALUE(CUBLAS_STATUS_EXECUTION_FAILED)
SAME_VALUE(CUBLAS_STATUS_INTERNAL_ERROR)
SAME_VALUE(CUBLAS_STATUS_NOT_SUPPORTED)
SAME_VALUE(CUBLAS_STATUS_LICENSE_ERROR)
SAME_VALUE(CUBLAS_OP_N)
SAME_VALUE(CUBLAS_OP_T)
SAME_VALUE(CUBLAS_OP_C)
SAME_VALUE(CUDA_R_32F)
SAME_VALUE(CUDA_R_64F)
SAME_VALUE(CUDA_R_16F)
SAME_VALUE(CUDA_R_16BF)
SAME_VALUE(CUBLAS_COMPUTE_16F)
SAME_VALUE(CUBLAS_COMPUTE_32F)
SAME_VALUE(CUBLAS_COMPUTE_32F_PEDANTIC)
SAME_VALUE(CUBLAS_COMPUTE_64F)
SAME_VALUE(CUBLAS_COMPUTE_32F_FAST_16F)
SAME_VALUE(CUBLAS_COMPUTE_32F_FAST_16BF)
SAME_VALUE(CUBLAS_COMPUTE_32F_FAST_TF32)
SAME_VALUE(CUBLAS_DEFAULT_MATH)
SAME_VALUE(CUBLAS_PEDANTIC_MATH)
SAME_VALUE(CUBLAS_TF32_TENSOR_OP_MATH)
SAME_VALUE(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)
SAME_VALUE(CUBLAS_GEMM_DEFAULT)
SAME_VALUE(CUBLAS_GEMM_DEFAULT_TENSOR_OP)
SAME_VALUE(MAJOR_VERSION)
SAME_VALUE(MINOR_VERSION)
SAME_VALUE(PATCH_LEVEL)
// In C++, cublas_v2.h has a second cublasGemmEx, of CUDA 10's parameters; this is the type of the exported one.
using GemmEx = ::cublasStatus_t(::cublasHandle_t, ::cublasOperation_t, ::cublasOperation_t, int, int, int, const void*,
                                const void*, ::cudaDataType, int, const void*, ::cudaDataType, int, const void*, void*,
                                ::cudaDataType, int, ::cublasComputeType_t, ::cublasGemmAlgo_t);
static_assert(std::is_same_v<decltype(static_cast<GemmEx*>(&::cublasGemmEx)), GemmEx*>);
namespace exported {
using cublasGemmEx = GemmEx;
using cublasCreate_v2 = decltype(::cublasCreate_v2);
using cublasDestroy_v2 = decltype(::cublasDestroy_v2);
using cublasGetVersion_v2 = decltype(::cublasGetVersion_v2);
using cublasGetProperty = decltype(::cublasGetProperty);
using cublasSetStream_v2 = decltype(::cublasSetStream_v2);
using cublasSetWorkspace_v2 = decltype(::cublasSetWorkspace_v2);
using cublasSetMathMode = decltype(::cublasSetMathMode);
using cublasGetStatusString = decltype(::cublasGetStatusString);
}  // namespace exported
#define SAME_CUBLAS_FUNCTION(result, name, parameters) \
  static_assert(SameFunction<decltype(Cublas::name), exported::name>::value, #name);
VERBUND_CUDA_CUBLAS_FUNCTIONS(SAME_CUBLAS_FUNCTION)
#endif

#ifdef VERBUND_NCCL_HEADER
SAME_VALUE(ncclSuccess)
SAME_VALUE(ncclUnhandledCudaError)
SAME_VALUE(ncclSystemError)
SAME_VALUE(ncclInternalError)
SAME_VALUE(ncclInvalidArgument)
SAME_VALUE(ncclInvalidUsage)
SAME_VALUE(ncclRemoteError)
SAME_VALUE(ncclInProgress)
SAME_VALUE(ncclInt8)
SAME_VALUE(ncclUint8)
SAME_VALUE(ncclInt32)
SAME_VALUE(ncclUint32)
SAME_VALUE(ncclInt64)
SAME_VALUE(ncclUint64)
SAME_VALUE(ncclFloat16)
SAME_VALUE(ncclFloat32)
SAME_VALUE(ncclFloat64)
SAME_VALUE(ncclBfloat16)
SAME_VALUE(ncclSum)
SAME_VALUE(ncclProd)
SAME_VALUE(ncclMax)
SAME_VALUE(ncclMin)
SAME_VALUE(ncclAvg)
#define SAME_NCCL_FUNCTION(result, name, parameters) \
  static_assert(SameFunction<decltype(Nccl::name), decltype(::name)>::value, #name);
VERBUND_CUDA_NCCL_FUNCTIONS(SAME_NCCL_FUNCTION)
#endif

[[maybe_unused]] constexpr const char* kSkipped =
    " is not here: NVIDIA's toolkit or wheels have it (-DVERBUND_CUDA_INCLUDES=FOLDERS)";

TEST(CudaApi, DriverIsDeclaredAsInTheHeader) {
#ifndef CUDA_VERSION
  GTEST_SKIP() << "cuda.h" << kSkipped;
#endif
}

TEST(CudaApi, NvrtcIsDeclaredAsInTheHeader) {
#ifndef __NVRTC_H__
  GTEST_SKIP() << "nvrtc.h" << kSkipped;
#endif
}

TEST(CudaApi, CublasIsDeclaredAsInTheHeader) {
#ifndef CUBLAS_V2_H_
  GTEST_SKIP() << "cublas_v2.h" << kSkipped;
#endif
}

TEST(CudaApi, NcclIsDeclaredAsInTheHeader) {
#ifndef VERBUND_NCCL_HEADER
  GTEST_SKIP() << "nccl.h" << kSkipped;
#endif
}

}  // namespace
}  // namespace verbund::cuda
