// SPDX-License-Identifier: Apache-2.0
// Made-up libraries of NVIDIA, in one file, for tests of the loader. MADE_CUDA is the version of the driver and of the
// toolkit: 12, with a V100; 13, with a GPU of sm_103; 0: a driver without a GPU.
#include <algorithm>
#include <iterator>

#include "cuda/cublas_api.h"
#include "cuda/driver_api.h"
#include "cuda/nccl_api.h"
#include "cuda/nvrtc_api.h"

using namespace verbund::cuda;

namespace {

#if MADE_CUDA == 12
constexpr int kGpu = 70;
constexpr int kKnown[] = {50, 70, 75, 80, 86, 90, 120};
#else
constexpr int kGpu = 103;
constexpr int kKnown[] = {75, 80, 86, 90, 100, 120};
#endif

}  // namespace

extern "C" {

CUresult cuInit(unsigned int) { return MADE_CUDA == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS; }

CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_ERROR_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_OF_ANOTHER_KIND";
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  *version = MADE_CUDA * 1000 + 80;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? kGpu / 10 : kGpu % 10;
  return CUDA_SUCCESS;
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = MADE_CUDA;
  *minor = 8;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kKnown));
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  std::copy(std::begin(kKnown), std::end(kKnown), architectures);
  return NVRTC_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType property, int* value) {
  *value = property == MAJOR_VERSION ? MADE_CUDA : 4;
  return CUBLAS_STATUS_SUCCESS;
}

ncclResult_t ncclGetVersion(int* version) {
  *version = 22605;
  return ncclSuccess;
}

}  // extern "C"
