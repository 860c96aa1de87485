// SPDX-License-Identifier: Apache-2.0
// Planted errors that a real GPU refuses or leaves undefined: each must fail the launch and name the thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "emulated_test/test_gpu.h"

namespace emulated {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// In both builds of the library.
class Refusals : public testing::TestWithParam<bool> {
 protected:
  Refusals() : gpu(GetParam()) {}
  TestGpu gpu;
};

INSTANTIATE_TEST_SUITE_P(All, Refusals, testing::Bool(),
                         [](const auto& way) { return way.param ? std::string("Checked") : std::string("Plain"); });

TEST_P(Refusals, BlocksAndGridsOutOfTheirLimits) {
  const CUdeviceptr x = gpu.allocate(4);
  EXPECT_EQ(gpu.launch("count_up", {1}, {0}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.launch("count_up", {0}, {1}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.launch("count_up", {1}, {1025}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.launch("count_up", {1}, {32, 33}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.launch("count_up", {1}, {1, 1, 65}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.launch("count_up", {1, 65536}, {1}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.launch("count_up", {0x80000000u}, {1}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("count_up"), HasSubstr("32 x 33"), HasSubstr("65536")));
  EXPECT_EQ(gpu.wait(), CUDA_SUCCESS);  // a launch that was not made breaks nothing
}

// Of a kernel that was compiled for small blocks.
TEST_P(Refusals, BlocksBeyondTheLaunchBounds) {
  const CUdeviceptr x = gpu.upload(std::vector<int>{0});
  EXPECT_EQ(gpu.launch("count_up_in_small_blocks", {2}, {96}, x), CUDA_SUCCESS);
  EXPECT_EQ(gpu.launch("count_up_in_small_blocks", {1}, {97}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.launch("count_up_in_small_blocks", {1}, {32, 4}, x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("count_up_in_small_blocks"), HasSubstr("32 x 4 x 1"), HasSubstr("96")));
  EXPECT_EQ(gpu.download<int>(x, 1)[0], 192);
  int most = 0;
  EXPECT_EQ(
      gpu->cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, gpu.function("count_up_in_small_blocks")),
      CUDA_SUCCESS);
  EXPECT_EQ(most, 96);
}

TEST_P(Refusals, ArgumentsThatAreMissing) {
  EXPECT_EQ(gpu->cuLaunchKernel(gpu.function("count_up"), 1, 1, 1, 1, 1, 1, 0, gpu.stream(), nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  void* parameters[] = {nullptr};
  EXPECT_EQ(gpu->cuLaunchKernel(gpu.function("count_up"), 1, 1, 1, 1, 1, 1, 0, gpu.stream(), parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, gpu.stream(), parameters, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_P(Refusals, MoreThan48KilobytesOfSharedMemory) {
  const CUdeviceptr out = gpu.allocate(4096);
  EXPECT_EQ(gpu.launch("take_much_shared", {1}, {32}, out), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("take_much_shared"), HasSubstr("49156")));
}

TEST_P(Refusals, ABarrierThatNotAllReach) {
  const CUdeviceptr out = gpu.allocate(4096);
  EXPECT_EQ(gpu.launch("barrier_of_some", {1}, {64}, out), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(gpu.messages(),
              AllOf(HasSubstr("barrier_of_some"), HasSubstr("40 "), HasSubstr("24 "), HasSubstr("thread (40, 0, 0)")));
}

TEST_P(Refusals, DifferentBarriers) {
  const CUdeviceptr out = gpu.allocate(4096);
  EXPECT_EQ(gpu.launch("barriers_of_two_kinds", {1}, {64}, out), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("thread (40, 0, 0)"), HasSubstr("kernels.cu")));
}

TEST(RefusalsOfBothBuilds, ShufflesWithLanesMissing) {
  for (const char* kernel : {"shuffle_without_lanes", "shuffle_after_some_ended", "shuffle_outside_mask"}) {
    for (const char* order : {"forward", "backward", "random:7"}) {
      for (const bool checked : {false, true}) {
        TestGpu gpu(checked);
        gpu.control().emulated_gpu_set_order(order);
        const CUdeviceptr out = gpu.allocate(4096);
        EXPECT_EQ(gpu.launch(kernel, {1}, {32}, out), CUDA_SUCCESS);
        EXPECT_EQ(gpu.wait(), CUDA_ERROR_LAUNCH_FAILED);
        EXPECT_THAT(gpu.messages(), AllOf(HasSubstr(kernel), HasSubstr("lane")));
      }
    }
  }
}

TEST_P(Refusals, WritingOutOfBounds) {
  const CUdeviceptr x = gpu.allocate(1024);
  EXPECT_EQ(gpu.launch("write_at", {1}, {1}, x, 256ll), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("write_at"), HasSubstr("1024 bytes")));
  EXPECT_EQ(gpu->cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);  // the error stays
  CUdeviceptr other = 0;
  EXPECT_EQ(gpu->cuMemAlloc_v2(&other, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(RefusalsOfTheCheckedBuild, OneByteOutOfBounds) {
  TestGpu gpu(true);
  const CUdeviceptr x = gpu.allocate(1000);  // 24 bytes follow in the same page
  EXPECT_EQ(gpu.launch("write_at", {1}, {1}, x, 250ll), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(gpu.messages(), HasSubstr("1000 bytes"));
}

TEST_P(Refusals, ReadingBeforeTheBeginning) {
  const CUdeviceptr x = gpu.allocate(4096), to = gpu.allocate(4);
  EXPECT_EQ(gpu.launch("read_at", {1}, {1}, to, x, -1024ll), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_P(Refusals, FreedMemoryInAKernel) {
  const CUdeviceptr x = gpu.allocate(4096);
  EXPECT_EQ(gpu.launch("write_at", {1}, {1}, x, 5ll), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuMemFree_v2(x), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(gpu.messages(), HasSubstr("byte 20 of the 4096 bytes"));
}

TEST_P(Refusals, HostMemoryInAKernel) {
  EXPECT_EQ(gpu.launch("write_at", {1}, {1}, CUdeviceptr{0}, 2ll), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("write_at"), HasSubstr("0x8")));
}

TEST(RefusalsOfTheCheckedBuild, HostMemoryThatExistsInAKernel) {
  TestGpu gpu(true);
  std::vector<float> on_host(4);
  EXPECT_EQ(gpu.launch("write_at", {1}, {1}, on_host.data(), 2ll), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(gpu.messages(), HasSubstr("write_at"));
  EXPECT_EQ(on_host[2], 0);
}

TEST_P(Refusals, AStackThatIsTooDeep) {
  const CUdeviceptr x = gpu.allocate(4096);
  EXPECT_EQ(gpu.launch("recurse", {1}, {2}, x), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_THAT(gpu.messages(), HasSubstr("128 KB"));
}

TEST(RefusalsOfTheCheckedBuild, MisalignedVectors) {
  TestGpu gpu(true);
  const CUdeviceptr from = gpu.upload(std::vector<float>(200, 1.0f)), to = gpu.allocate(512);
  EXPECT_EQ(gpu.launch("load_vectors", {1}, {32}, to, from, 4), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_SUCCESS);
  EXPECT_EQ(gpu.launch("load_vectors", {1}, {32}, to, from, 2), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("load_vectors"), HasSubstr("16 bytes")));
}

TEST(RefusalsOfBothBuilds, EndWithTheContext) {
  for (const bool checked : {false, true}) {
    {
      TestGpu gpu(checked);
      const CUdeviceptr x = gpu.allocate(64);
      EXPECT_EQ(gpu.launch("write_at", {1}, {1}, x, 1024ll), CUDA_SUCCESS);
      EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    TestGpu gpu(checked);
    const CUdeviceptr x = gpu.upload(std::vector<float>(4, 0.0f));
    EXPECT_EQ(gpu.launch("write_at", {1}, {1}, x, 3ll), CUDA_SUCCESS);
    EXPECT_EQ(gpu.download<float>(x, 4)[3], 1);
  }
}

using RefusalsDeathTest = Refusals;
INSTANTIATE_TEST_SUITE_P(All, RefusalsDeathTest, testing::Bool(),
                         [](const auto& way) { return way.param ? std::string("Checked") : std::string("Plain"); });

TEST_P(RefusalsDeathTest, TheHostInDeviceMemory) {
  const CUdeviceptr x = gpu.upload(std::vector<float>(4, 1.0f));
  ASSERT_EQ(gpu.wait(), CUDA_SUCCESS);
  EXPECT_DEATH(
      {
        volatile float read = reinterpret_cast<float*>(x)[2];
        (void)read;
      },
      "the host touches device memory: byte 8 of the 16 bytes");
}

}  // namespace
}  // namespace emulated
