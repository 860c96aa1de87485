// SPDX-License-Identifier: Apache-2.0
// Kernels that are right give the same results in every order of threads and blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "emulated_test/test_gpu.h"

namespace emulated {
namespace {

using testing::HasSubstr;

struct Way {
  bool checked;
  const char* order;
};

class Running : public testing::TestWithParam<Way> {
 protected:
  Running() : gpu(GetParam().checked) { gpu.control().emulated_gpu_set_order(GetParam().order); }
  TestGpu gpu;
};

INSTANTIATE_TEST_SUITE_P(All, Running,
                         testing::Values(Way{false, "forward"}, Way{false, "backward"}, Way{false, "random:3"},
                                         Way{true, "forward"}, Way{true, "backward"}, Way{true, "random:4"}),
                         [](const auto& way) {
                           const std::string order = way.param.order;
                           return order.substr(0, order.find(':')) + (way.param.checked ? "Checked" : "");
                         });

std::vector<float> numbers(size_t count) {
  std::vector<float> result(count);
  std::iota(result.begin(), result.end(), 1.0f);
  return result;
}

TEST_P(Running, EveryThreadOfEveryBlockRunsOnceAndKnowsWhoItIs) {
  const CUdeviceptr out = gpu.allocate(24 * 70 * sizeof(int));
  ASSERT_EQ(gpu.launch("tell_who", {2, 3, 4}, {5, 7, 2}, out), CUDA_SUCCESS);
  const auto result = gpu.download<int>(out, 24 * 70);
  for (int i = 0; i < 24 * 70; ++i) ASSERT_EQ(result[i], i / 70 * 10000 + i % 70);
}

TEST_P(Running, ArgumentsAreReadAtTheCall) {
  const CUdeviceptr x = gpu.upload(numbers(100));
  struct {
    float factor;
    double offset;
  } scale{2, 0.5};
  long long n = 99;
  CUdeviceptr pointer = x;
  void* parameters[] = {&pointer, &n, &scale};
  ASSERT_EQ(gpu->cuLaunchKernel(gpu.function("scale_by"), 1, 1, 1, 128, 1, 1, 0, gpu.stream(), parameters, nullptr),
            CUDA_SUCCESS);
  scale = {0, 0};
  n = 0;
  pointer = 0;
  const auto result = gpu.download<float>(x, 100);
  EXPECT_EQ(result[0], 2.5f);
  EXPECT_EQ(result[98], 198.5f);
  EXPECT_EQ(result[99], 100.0f);
}

TEST_P(Running, BlocksExchangeThroughSharedMemory) {
  const CUdeviceptr x = gpu.upload(numbers(3 * 128));
  ASSERT_EQ(gpu.launch("reverse_block", {3}, {128}, x), CUDA_SUCCESS);
  const auto result = gpu.download<float>(x, 3 * 128);
  for (int i = 0; i < 3 * 128; ++i) ASSERT_EQ(result[i], i / 128 * 128 + 128 - i % 128);
  EXPECT_EQ(gpu.control().emulated_gpu_races(), 0u);
}

TEST_P(Running, WarpsExchangeThroughSharedMemory) {
  const CUdeviceptr x = gpu.upload(numbers(128));
  ASSERT_EQ(gpu.launch("reverse_warp", {1}, {128}, x), CUDA_SUCCESS);
  const auto result = gpu.download<float>(x, 128);
  for (int i = 0; i < 128; ++i) ASSERT_EQ(result[i], i / 32 * 32 + 32 - i % 32);
  EXPECT_EQ(gpu.control().emulated_gpu_races(), 0u);
}

TEST_P(Running, WarpsSumByShuffles) {
  const CUdeviceptr x = gpu.upload(numbers(96)), out = gpu.allocate(96 * sizeof(double));
  ASSERT_EQ(gpu.launch("sum_warps", {1}, {96}, out, x), CUDA_SUCCESS);
  const auto result = gpu.download<double>(out, 96);
  for (int i = 0; i < 96; ++i) ASSERT_EQ(result[i], 32 * (i / 32 * 32) + 528);
}

TEST_P(Running, HalvesOfAWarpMayGoDifferentWays) {
  const CUdeviceptr out = gpu.allocate(64 * sizeof(int));
  ASSERT_EQ(gpu.launch("sum_halves", {1}, {64}, out), CUDA_SUCCESS);
  const auto result = gpu.download<int>(out, 64);
  for (int i = 0; i < 64; ++i) {
    const int lane = i % 32;
    ASSERT_EQ(result[i], lane < 16 ? 120 : lane + (lane ^ 8));
  }
}

TEST_P(Running, AtomicSumsDoNotRace) {
  const CUdeviceptr x = gpu.upload(std::vector<int>{0});
  ASSERT_EQ(gpu.launch("count_up", {7}, {100}, x), CUDA_SUCCESS);
  EXPECT_EQ(gpu.download<int>(x, 1)[0], 700);
}

TEST_P(Running, FreshMemoryIsNotANumber) {
  const CUdeviceptr out = gpu.allocate(64 * sizeof(float));
  for (const float x : gpu.download<float>(out, 64)) ASSERT_TRUE(std::isnan(x));
  ASSERT_EQ(gpu.launch("show_fresh_shared", {1}, {32}, out), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch("show_fresh_shared", {1}, {32}, out + 128), CUDA_SUCCESS);
  for (const float x : gpu.download<float>(out, 64)) ASSERT_TRUE(std::isnan(x));
}

TEST_P(Running, NeighboursOfTwoBytesDoNotRace) {
  const CUdeviceptr out = gpu.allocate(64 * 2);
  ASSERT_EQ(gpu.launch("halves_of_numbers", {1}, {64}, out), CUDA_SUCCESS);
  const auto result = gpu.download<unsigned short>(out, 64);
  EXPECT_EQ(result[1], 0x3C00);
  EXPECT_EQ(result[63], 0x53E0);
}

TEST(Modules, HaveTheirOwnKernelsPerTypeOfFactors) {
  for (int dtype = 0; dtype < 3; ++dtype) {
    TestGpu gpu(false, 0, dtype);
    const CUdeviceptr out = gpu.allocate(4);
    ASSERT_EQ(gpu.launch("tell_factor", {1}, {1}, out), CUDA_SUCCESS);
    EXPECT_EQ(gpu.download<int>(out, 1)[0], dtype);
  }
}

TEST(Counters, TellLaunchesOperationsAndBytes) {
  TestGpu gpu(true);
  const CUdeviceptr from = gpu.upload(numbers(1000)), to = gpu.allocate(4000);
  ASSERT_EQ(gpu.launch("copy", {2}, {64}, to, from, 1000), CUDA_SUCCESS);
  ASSERT_EQ(gpu.wait(), CUDA_SUCCESS);
  const std::string json = gpu.control().emulated_gpu_counters();
  EXPECT_THAT(json, HasSubstr("\"copy\": {\"launches\": 1, \"blocks\": 2, \"threads\": 128, \"operations\": 128, "
                              "\"bytes_read\": 4000, \"bytes_written\": 4000, \"distinct_read\": 4000, "
                              "\"distinct_written\": 4000"));
  EXPECT_THAT(json, HasSubstr("\"cuMemcpyHtoDAsync\": {\"launches\": 1"));
}

// Not a promise, a figure for who looks at it.
TEST(Speed, OfSwitches) {
  TestGpu gpu(false);
  const CUdeviceptr x = gpu.upload(numbers(1024)), out = gpu.allocate(1024 * sizeof(double));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) ASSERT_EQ(gpu.launch("sum_warps", {100}, {1024}, out, x), CUDA_SUCCESS);
  ASSERT_EQ(gpu.wait(), CUDA_SUCCESS);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double switches = 10.0 * 100 * 1024 * 12;
  std::printf("%.0f switches in %.3f s: %.1f ns each\n", switches, seconds, seconds / switches * 1e9);
}

}  // namespace
}  // namespace emulated
