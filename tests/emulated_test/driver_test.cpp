// SPDX-License-Identifier: Apache-2.0
// The emulated driver and compiler check their arguments as the real ones do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "emulated_test/test_gpu.h"

namespace emulated {
namespace {

using testing::HasSubstr;

TEST(DriverDouble, KnowsItsDevices) {
  const Driver& driver = test_library(false).driver;
  int count = 0, major = 0, threads = 0;
  EXPECT_EQ(driver.cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2);
  CUdevice device = -1;
  EXPECT_EQ(driver.cuDeviceGet(&device, 1), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), CUDA_SUCCESS);
  EXPECT_EQ(major, 7);
  EXPECT_EQ(driver.cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0), CUDA_SUCCESS);
  EXPECT_EQ(threads, 1024);
  char name[64];
  EXPECT_EQ(driver.cuDeviceGetName(name, sizeof name, 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, "Emulated GPU (sm_70)");
  CUuuid first, again, second;
  EXPECT_EQ(driver.cuDeviceGetUuid_v2(&first, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuDeviceGetUuid_v2(&again, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuDeviceGetUuid_v2(&second, 1), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(first.bytes, again.bytes, 16), 0);
  EXPECT_NE(std::memcmp(first.bytes, second.bytes, 16), 0);
  EXPECT_EQ(driver.cuDeviceGetUuid_v2(&second, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(driver.cuDeviceGetUuid_v2(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(DriverDouble, NeedsAContextInTheThread) {
  TestGpu gpu(false);
  std::thread([&] {
    CUdeviceptr x = 0;
    EXPECT_EQ(gpu->cuMemAlloc_v2(&x, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(gpu->cuStreamSynchronize(gpu.stream()), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  EXPECT_EQ(gpu->cuCtxSetCurrent(reinterpret_cast<CUcontext>(&gpu)), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(DriverDouble, HasALimitOfMemory) {
  TestGpu gpu(false);
  size_t free = 0, total = 0;
  ASSERT_EQ(gpu->cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(free, total);
  CUdeviceptr x = 0, y = 0;
  EXPECT_EQ(gpu->cuMemAlloc_v2(&x, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_EQ(gpu->cuMemAlloc_v2(&x, 1000), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(total - free, 1024u);
  EXPECT_EQ(x % 256, 0u);
  EXPECT_EQ(gpu->cuMemAlloc_v2(&y, total), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(gpu->cuMemFree_v2(x), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuMemAlloc_v2(&y, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(DriverDouble, ChecksHandles) {
  TestGpu gpu(false), other(false, 1);
  ASSERT_EQ(gpu->cuCtxSetCurrent(gpu.context()), CUDA_SUCCESS);
  const auto wrong_stream = reinterpret_cast<CUstream>(&gpu);
  EXPECT_EQ(gpu->cuStreamSynchronize(wrong_stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(gpu->cuStreamSynchronize(other.stream()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(gpu->cuEventSynchronize(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(gpu->cuEventRecord(gpu.make_event(), other.stream()), CUDA_ERROR_INVALID_HANDLE);
  CUfunction function = nullptr;
  EXPECT_EQ(gpu->cuModuleGetFunction(&function, gpu.module(), "unheard_of"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(gpu->cuModuleUnload(gpu.module()), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuModuleUnload(gpu.module()), CUDA_ERROR_INVALID_HANDLE);
  const CUstream stream = gpu.make_stream();
  EXPECT_EQ(gpu->cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST(DriverDouble, ChecksCopies) {
  TestGpu gpu(false);
  const CUdeviceptr x = gpu.allocate(64);
  float values[32] = {};
  EXPECT_EQ(gpu->cuMemcpyHtoDAsync_v2(x, values, 65, gpu.stream()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuMemcpyHtoDAsync_v2(x + 60, values, 8, gpu.stream()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuMemcpyHtoDAsync_v2(reinterpret_cast<CUdeviceptr>(values), values, 4, gpu.stream()),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuMemcpyHtoDAsync_v2(x, reinterpret_cast<void*>(x), 4, gpu.stream()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuMemcpyDtoHAsync_v2(nullptr, x, 4, gpu.stream()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuMemcpyDtoDAsync_v2(x, x + 4, 8, gpu.stream()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuMemsetD8Async(x, 0, 65, gpu.stream()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuMemsetD8Async(x, 0, 64, gpu.stream()), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_SUCCESS);
}

TEST(DriverDouble, NamesErrors) {
  const Driver& driver = test_library(false).driver;
  const char* name = nullptr;
  EXPECT_EQ(driver.cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(driver.cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
}

TEST(DriverDouble, TakesImagesForItsArchitectureOnly) {
  TestGpu gpu(false);
  CUmodule module = nullptr;
  EXPECT_EQ(gpu->cuModuleLoadData(&module, compile_kernels(test_library(false), 0, "sm_80").data()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(gpu->cuModuleLoadData(&module, "something else"), CUDA_ERROR_INVALID_IMAGE);
}

std::string compile(const char* source, std::vector<const char*> options) {
  const Nvrtc& nvrtc = test_library(false).nvrtc;
  nvrtcProgram program = nullptr;
  EXPECT_EQ(nvrtc.nvrtcCreateProgram(&program, source, "kernels.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  const nvrtcResult result = nvrtc.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  size_t size = 0;
  EXPECT_EQ(nvrtc.nvrtcGetCUBINSize(program, &size), NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(nvrtc.nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
  std::string log(size, ' ');
  EXPECT_EQ(nvrtc.nvrtcGetProgramLog(program, log.data()), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtc.nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  EXPECT_EQ(program, nullptr);
  return std::string(nvrtc.nvrtcGetErrorString(result)) + ": " + log;
}

TEST(NvrtcDouble, CompilesOnlyTheTextThatIsInTheLibrary) {
  const std::string log = compile("#include \"language.cuh\"\nKERNEL(x)() {}", {"--gpu-architecture=sm_70"});
  EXPECT_THAT(log, HasSubstr("NVRTC_ERROR_COMPILATION"));
  EXPECT_THAT(log, HasSubstr("kernels.cu: error: not the text"));
  EXPECT_THAT(log, HasSubstr("cannot open source file \"language.cuh\""));
}

TEST(NvrtcDouble, ChecksOptions) {
  EXPECT_THAT(compile("", {"--gpu-architecture=sm_71"}), HasSubstr("NVRTC_ERROR_INVALID_OPTION"));
  EXPECT_THAT(compile("", {"--gpu-architecture=compute_70"}), HasSubstr("a cubin is made for sm_NN only"));
  EXPECT_THAT(compile("", {"--gpu-architecture=sm_70", "-O3"}), HasSubstr("invalid option -O3"));
}

}  // namespace
}  // namespace emulated
