// SPDX-License-Identifier: Apache-2.0
#include "emulated_test/test_gpu.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace emulated {
namespace {

TestLibrary load(const char* folder) {
  TestLibrary result;
  const auto open = [&](const std::string& name) {
    void* library = dlopen((std::string(folder) + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return library;
  };
  void* driver = open("libcuda.so.1");
  void* nvrtc = open("libnvrtc.so");
#define FIND(table, library, name)                                                          \
  result.table.name = reinterpret_cast<decltype(result.table.name)>(dlsym(library, #name)); \
  if (result.table.name == nullptr) throw std::runtime_error(#name " is missing");
#define FIND_DRIVER(r, name, p) FIND(driver, driver, name)
#define FIND_NVRTC(r, name, p) FIND(nvrtc, nvrtc, name)
#define FIND_CONTROL(r, name, p) FIND(control, driver, name)
  VERBUND_CUDA_DRIVER_FUNCTIONS(FIND_DRIVER)
  VERBUND_CUDA_NVRTC_FUNCTIONS(FIND_NVRTC)
  EMULATED_GPU_FUNCTIONS(FIND_CONTROL)
  EXPECT_EQ(result.driver.cuInit(0), CUDA_SUCCESS);
  return result;
}

void expect(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) throw std::runtime_error(std::string(what) + " gave " + std::to_string(result));
}

std::string read(const std::string& name) {
  std::ifstream file(std::string(EMULATED_TEST_KERNELS) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

const TestLibrary& test_library(bool checked) {
  static const TestLibrary plain = load(EMULATED_TEST_FOLDER);
  static const TestLibrary with_checks = load(EMULATED_TEST_CHECKED_FOLDER);
  return checked ? with_checks : plain;
}

std::string compile_kernels(const TestLibrary& library, int dtype, const std::string& architecture) {
  const Nvrtc& nvrtc = library.nvrtc;
  const std::string source = read("kernels.cu"), language = read("language.cuh");
  const char* headers[] = {language.c_str()};
  const char* names[] = {"language.cuh"};
  nvrtcProgram program = nullptr;
  if (nvrtc.nvrtcCreateProgram(&program, source.c_str(), "kernels.cu", 1, headers, names) != NVRTC_SUCCESS) {
    throw std::runtime_error("nvrtcCreateProgram");
  }
  const std::string target = "--gpu-architecture=" + architecture;
  const std::string define = "-DVERBUND_COMPUTE_DTYPE=" + std::to_string(dtype);
  const char* options[] = {target.c_str(), define.c_str(), "--std=c++17"};
  const nvrtcResult result = nvrtc.nvrtcCompileProgram(program, 3, options);
  size_t size = 0;
  nvrtc.nvrtcGetProgramLogSize(program, &size);
  std::string log(size, ' ');
  nvrtc.nvrtcGetProgramLog(program, log.data());
  std::string image;
  if (result == NVRTC_SUCCESS) {
    nvrtc.nvrtcGetCUBINSize(program, &size);
    image.resize(size);
    nvrtc.nvrtcGetCUBIN(program, image.data());
  }
  nvrtc.nvrtcDestroyProgram(&program);
  if (result != NVRTC_SUCCESS) throw std::runtime_error(log);
  return image;
}

TestGpu::TestGpu(bool checked, int device, int dtype) : library_(test_library(checked)), device_(device) {
  const Driver& driver = library_.driver;
  library_.control.emulated_gpu_reset();
  library_.control.emulated_gpu_set_order("forward");
  expect(driver.cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
  expect(driver.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
  expect(driver.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  expect(driver.cuModuleLoadData(&module_, compile_kernels(library_, dtype).data()), "cuModuleLoadData");
}

TestGpu::~TestGpu() { library_.driver.cuDevicePrimaryCtxRelease_v2(device_); }

CUstream TestGpu::make_stream(unsigned flags) {
  CUstream stream = nullptr;
  expect(library_.driver.cuStreamCreate(&stream, flags), "cuStreamCreate");
  return stream;
}

CUevent TestGpu::make_event() {
  CUevent event = nullptr;
  expect(library_.driver.cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  return event;
}

CUfunction TestGpu::function(const char* kernel) {
  CUfunction function = nullptr;
  const CUresult result = library_.driver.cuModuleGetFunction(&function, module_, kernel);
  return result == CUDA_SUCCESS ? function : nullptr;
}

CUdeviceptr TestGpu::allocate(size_t bytes) {
  CUdeviceptr pointer = 0;
  expect(library_.driver.cuMemAlloc_v2(&pointer, bytes), "cuMemAlloc");
  return pointer;
}

void TestGpu::copy_in(CUdeviceptr to, const void* from, size_t bytes) {
  expect(library_.driver.cuMemcpyHtoDAsync_v2(to, from, bytes, stream_), "cuMemcpyHtoDAsync");
}

void TestGpu::copy_out(void* to, CUdeviceptr from, size_t bytes) {
  expect(library_.driver.cuMemcpyDtoHAsync_v2(to, from, bytes, stream_), "cuMemcpyDtoHAsync");
}

}  // namespace emulated
