// SPDX-License-Identifier: Apache-2.0
// Every function of NVIDIA's libraries that is used: each succeeds and does nothing, unless made_cuda.cpp has another.
#include "cuda/cublas_api.h"
#include "cuda/driver_api.h"
#include "cuda/nccl_api.h"
#include "cuda/nvrtc_api.h"

using namespace verbund::cuda;

#define DEFAULT(result, name, parameters) \
  extern "C" __attribute__((weak)) result name parameters { return {}; }
VERBUND_CUDA_DRIVER_FUNCTIONS(DEFAULT)
VERBUND_CUDA_NVRTC_FUNCTIONS(DEFAULT)
VERBUND_CUDA_CUBLAS_FUNCTIONS(DEFAULT)
VERBUND_CUDA_NCCL_FUNCTIONS(DEFAULT)
