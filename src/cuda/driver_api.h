// SPDX-License-Identifier: Apache-2.0
// The functions of NVIDIA's driver (libcuda.so.1) that are used, declared as cuda.h does, and the table that the loader
// fills with them. Declared here, so that the program is built without NVIDIA's headers; tests/unit/cuda/api_test.cpp
// compares both where there are any.
#pragma once

#include <cstddef>

namespace verbund::cuda {

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_OPERATING_SYSTEM = 304,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_UNKNOWN = 999,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,  // kHz
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,        // kHz
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,  // bits
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
};

enum CUstream_flags : unsigned int { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum CUevent_flags : unsigned int { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };

// cuMemHostAlloc's flag CU_MEMHOSTALLOC_PORTABLE: pinned for every context. (A macro in cuda.h, so not by that name.)
constexpr unsigned int kHostAllocPortable = 1;

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
struct CUuuid {
  char bytes[16];
};

// X(result, name, (parameters)), with the names that the library exports: cuda.h maps cuMemAlloc to cuMemAlloc_v2 etc.
#define VERBUND_CUDA_DRIVER_FUNCTIONS(X)                                                                        \
  X(CUresult, cuInit, (unsigned int flags))                                                                     \
  X(CUresult, cuDriverGetVersion, (int* version))                                                               \
  X(CUresult, cuDeviceGetCount, (int* count))                                                                   \
  X(CUresult, cuDeviceGet, (CUdevice * device, int ordinal))                                                    \
  X(CUresult, cuDeviceGetName, (char* name, int length, CUdevice device))                                       \
  X(CUresult, cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                             \
  X(CUresult, cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))                \
  X(CUresult, cuDeviceTotalMem_v2, (std::size_t * bytes, CUdevice device))                                      \
  X(CUresult, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                 \
  X(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                                  \
  X(CUresult, cuCtxSetCurrent, (CUcontext context))                                                             \
  X(CUresult, cuCtxSynchronize, ())                                                                             \
  X(CUresult, cuCtxGetStreamPriorityRange, (int* least, int* greatest))                                         \
  X(CUresult, cuMemGetInfo_v2, (std::size_t * free, std::size_t * total))                                       \
  X(CUresult, cuMemAlloc_v2, (CUdeviceptr * pointer, std::size_t bytes))                                        \
  X(CUresult, cuMemFree_v2, (CUdeviceptr pointer))                                                              \
  X(CUresult, cuMemHostAlloc, (void** pointer, std::size_t bytes, unsigned int flags))                          \
  X(CUresult, cuMemFreeHost, (void* pointer))                                                                   \
  X(CUresult, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream))     \
  X(CUresult, cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))           \
  X(CUresult, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))     \
  X(CUresult, cuMemsetD8Async, (CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream))       \
  X(CUresult, cuStreamCreate, (CUstream * stream, unsigned int flags))                                          \
  X(CUresult, cuStreamCreateWithPriority, (CUstream * stream, unsigned int flags, int priority))                \
  X(CUresult, cuStreamDestroy_v2, (CUstream stream))                                                            \
  X(CUresult, cuStreamSynchronize, (CUstream stream))                                                           \
  X(CUresult, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags))                          \
  X(CUresult, cuEventCreate, (CUevent * event, unsigned int flags))                                             \
  X(CUresult, cuEventDestroy_v2, (CUevent event))                                                               \
  X(CUresult, cuEventRecord, (CUevent event, CUstream stream))                                                  \
  X(CUresult, cuEventSynchronize, (CUevent event))                                                              \
  X(CUresult, cuEventQuery, (CUevent event))                                                                    \
  X(CUresult, cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end))                            \
  X(CUresult, cuModuleLoadData, (CUmodule * module, const void* image))                                         \
  X(CUresult, cuModuleUnload, (CUmodule module))                                                                \
  X(CUresult, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))                  \
  X(CUresult, cuFuncGetAttribute, (int* value, CUfunction_attribute attribute, CUfunction function))            \
  X(CUresult, cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))             \
  X(CUresult, cuLaunchKernel,                                                                                   \
    (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,  \
     unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void** parameters, \
     void** extra))                                                                                             \
  X(CUresult, cuGetErrorName, (CUresult error, const char** name))                                              \
  X(CUresult, cuGetErrorString, (CUresult error, const char** text))

struct Driver {
#define VERBUND_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  VERBUND_CUDA_DRIVER_FUNCTIONS(VERBUND_MEMBER)
#undef VERBUND_MEMBER
};

}  // namespace verbund::cuda
