// SPDX-License-Identifier: Apache-2.0
// The functions of NCCL, NVIDIA's collectives between GPUs, that are used, declared as nccl.h does, and the table that
// the loader fills with them. tests/unit/cuda/api_test.cpp compares them with the real header.
#pragma once

#include <cstddef>

#include "cuda/driver_api.h"

namespace verbund::cuda {

enum ncclResult_t : int {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};

enum ncclDataType_t : int {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,
};

enum ncclRedOp_t : int { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 };

struct ncclUniqueId {
  char internal[128];
};

using ncclComm_t = struct ncclComm*;

// X(result, name, (parameters))
#define VERBUND_CUDA_NCCL_FUNCTIONS(X)                                                                                \
  X(ncclResult_t, ncclGetVersion, (int* version))                                                                     \
  X(ncclResult_t, ncclGetUniqueId, (ncclUniqueId * id))                                                               \
  X(ncclResult_t, ncclCommInitRank, (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank))                        \
  X(ncclResult_t, ncclCommDestroy, (ncclComm_t comm))                                                                 \
  X(ncclResult_t, ncclCommAbort, (ncclComm_t comm))                                                                   \
  X(ncclResult_t, ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t * error))                                     \
  X(ncclResult_t, ncclAllReduce,                                                                                      \
    (const void* send, void* receive, std::size_t count, ncclDataType_t type, ncclRedOp_t operation, ncclComm_t comm, \
     CUstream stream))                                                                                                \
  X(ncclResult_t, ncclReduceScatter,                                                                                  \
    (const void* send, void* receive, std::size_t receive_count, ncclDataType_t type, ncclRedOp_t operation,          \
     ncclComm_t comm, CUstream stream))                                                                               \
  X(ncclResult_t, ncclAllGather,                                                                                      \
    (const void* send, void* receive, std::size_t send_count, ncclDataType_t type, ncclComm_t comm, CUstream stream)) \
  X(ncclResult_t, ncclBroadcast,                                                                                      \
    (const void* send, void* receive, std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,              \
     CUstream stream))                                                                                                \
  X(ncclResult_t, ncclGroupStart, ())                                                                                 \
  X(ncclResult_t, ncclGroupEnd, ())                                                                                   \
  X(const char*, ncclGetErrorString, (ncclResult_t result))                                                           \
  X(const char*, ncclGetLastError, (ncclComm_t comm))

struct Nccl {
#define VERBUND_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  VERBUND_CUDA_NCCL_FUNCTIONS(VERBUND_MEMBER)
#undef VERBUND_MEMBER
};

}  // namespace verbund::cuda
