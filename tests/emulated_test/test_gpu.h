// SPDX-License-Identifier: Apache-2.0
// An emulated GPU as its tests use it: loaded as the program loads NVIDIA's libraries, with the tests' own kernels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/driver_api.h"
#include "cuda/nvrtc_api.h"
#include "emulated/emulated_gpu.h"

namespace emulated {

using namespace verbund::cuda;

struct TestLibrary {
  Driver driver;
  Nvrtc nvrtc;
  ControlFunctions control;
};

// Of build/emulated-test or build/emulated-test-checked.
const TestLibrary& test_library(bool checked);

// What nvrtcCompileProgram makes of the tests' kernels, or fails with its log.
std::string compile_kernels(const TestLibrary& library, int dtype, const std::string& architecture = "sm_70");

// A context on one device, one stream, and the module of the kernels; all ends with it, an error too.
class TestGpu {
 public:
  explicit TestGpu(bool checked, int device = 0, int dtype = 0);
  ~TestGpu();

  const Driver* operator->() const { return &library_.driver; }
  const ControlFunctions& control() const { return library_.control; }
  CUstream stream() const { return stream_; }
  CUmodule module() const { return module_; }
  CUcontext context() const { return context_; }

  CUstream make_stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  CUevent make_event();
  CUfunction function(const char* kernel);

  CUdeviceptr allocate(size_t bytes);
  template <typename T>
  CUdeviceptr upload(const std::vector<T>& values) {
    const CUdeviceptr to = allocate(values.size() * sizeof(T));
    copy_in(to, values.data(), values.size() * sizeof(T));
    return to;
  }
  // Waits for the stream.
  template <typename T>
  std::vector<T> download(CUdeviceptr from, size_t count) {
    std::vector<T> values(count);
    copy_out(values.data(), from, count * sizeof(T));
    return values;
  }

  struct Size {
    unsigned x = 1, y = 1, z = 1;
  };
  template <typename... T>
  CUresult launch(const char* kernel, Size grid, Size block, T... arguments) {
    return launch_on(stream_, kernel, grid, block, arguments...);
  }
  template <typename... T>
  CUresult launch_on(CUstream stream, const char* kernel, Size grid, Size block, T... arguments) {
    void* pointers[] = {&arguments...};
    return library_.driver.cuLaunchKernel(function(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z, 0,
                                          stream, pointers, nullptr);
  }
  CUresult wait() { return library_.driver.cuStreamSynchronize(stream_); }
  std::string messages() { return library_.control.emulated_gpu_take_messages(); }

 private:
  void copy_in(CUdeviceptr to, const void* from, size_t bytes);
  void copy_out(void* to, CUdeviceptr from, size_t bytes);

  const TestLibrary& library_;
  int device_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
};

}  // namespace emulated
