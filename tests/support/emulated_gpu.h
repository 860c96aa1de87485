// SPDX-License-Identifier: Apache-2.0
// EmulatedGpu is one emulated GPU of a test: a context of this thread, one stream, and memory for numbers.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "cuda/libraries.h"

namespace verbund::cuda {

// The libraries of the emulated GPU, through the loader that finds the real ones.
inline CudaLibraries load_emulated(const char* folder) {
  CudaLibraries all = load_cuda(search_only(folder));
  EXPECT_EQ(missing_message(all, "emulated"), "");
  EXPECT_EQ(missing_nccl_message(all, "emulated"), "");
  return all;
}
inline const CudaLibraries& emulated_libraries() {
  static const CudaLibraries libraries = load_emulated(VERBUND_EMULATED);
  return libraries;
}

class EmulatedGpu {
 public:
  explicit EmulatedGpu(int device = 0, const CudaLibraries& libraries = emulated_libraries())
      : driver(libraries.driver), device_(device) {
    check(driver.cuDevicePrimaryCtxRetain(&context, device));
    check(driver.cuCtxSetCurrent(context));
    check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }
  ~EmulatedGpu() {
    driver.cuCtxSetCurrent(nullptr);
    driver.cuDevicePrimaryCtxRelease_v2(device_);  // frees all that is left
  }
  EmulatedGpu(const EmulatedGpu&) = delete;
  EmulatedGpu& operator=(const EmulatedGpu&) = delete;

  template <typename T>
  T* allocate(size_t count) {
    CUdeviceptr pointer = 0;
    check(driver.cuMemAlloc_v2(&pointer, count * sizeof(T)));
    return reinterpret_cast<T*>(pointer);
  }
  template <typename T>
  T* put(const std::vector<T>& values) {
    T* to = allocate<T>(values.size());
    check(driver.cuMemcpyHtoDAsync_v2(address(to), values.data(), values.size() * sizeof(T), stream));
    return to;
  }
  template <typename T>
  std::vector<T> get(const T* from, size_t count) {
    std::vector<T> values(count);
    check(driver.cuMemcpyDtoHAsync_v2(values.data(), address(from), count * sizeof(T), stream));
    check(synchronize());
    return values;
  }
  CUresult synchronize() { return driver.cuStreamSynchronize(stream); }

  static CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
  static void check(CUresult result) { ASSERT_EQ(result, CUDA_SUCCESS); }

  const Driver& driver;
  CUcontext context = nullptr;
  CUstream stream = nullptr;

 private:
  int device_;
};

}  // namespace verbund::cuda
