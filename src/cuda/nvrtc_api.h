// SPDX-License-Identifier: Apache-2.0
// The functions of NVRTC, NVIDIA's compiler of CUDA C++ at run time, that are used, declared as nvrtc.h does, and the
// table that the loader fills with them. tests/unit/cuda/api_test.cpp compares them with the real header.
#pragma once

#include <cstddef>

namespace verbund::cuda {

enum nvrtcResult : int {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
};

using nvrtcProgram = struct _nvrtcProgram*;

// X(result, name, (parameters))
#define VERBUND_CUDA_NVRTC_FUNCTIONS(X)                                                                          \
  X(nvrtcResult, nvrtcVersion, (int* major, int* minor))                                                         \
  X(nvrtcResult, nvrtcGetNumSupportedArchs, (int* count))                                                        \
  X(nvrtcResult, nvrtcGetSupportedArchs, (int* architectures))                                                   \
  X(nvrtcResult, nvrtcCreateProgram,                                                                             \
    (nvrtcProgram * program, const char* source, const char* name, int header_count, const char* const* headers, \
     const char* const* include_names))                                                                          \
  X(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram * program))                                                  \
  X(nvrtcResult, nvrtcCompileProgram, (nvrtcProgram program, int option_count, const char* const* options))      \
  X(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, std::size_t * size))                             \
  X(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char* log))                                          \
  X(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, std::size_t * size))                                  \
  X(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char* cubin))                                             \
  X(const char*, nvrtcGetErrorString, (nvrtcResult result))

struct Nvrtc {
#define VERBUND_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  VERBUND_CUDA_NVRTC_FUNCTIONS(VERBUND_MEMBER)
#undef VERBUND_MEMBER
};

}  // namespace verbund::cuda
