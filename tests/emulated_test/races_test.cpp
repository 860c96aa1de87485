// SPDX-License-Identifier: Apache-2.0
// Planted races inside a launch: found as wrong results in one of the orders, and reported by the checked build in all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "emulated_test/test_gpu.h"

namespace emulated {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<float> numbers(size_t count) {
  std::vector<float> result(count);
  std::iota(result.begin(), result.end(), 1.0f);
  return result;
}

constexpr const char* kOrders[] = {"forward", "backward", "random:1", "random:2"};

// What the checked build says of a launch, in each order.
template <typename Check>
void expect_race(const char* kernel, unsigned blocks, unsigned threads, const Check& check) {
  for (const char* order : kOrders) {
    TestGpu gpu(true);
    gpu.control().emulated_gpu_set_order(order);
    const CUdeviceptr x = gpu.upload(numbers(1024));
    ASSERT_EQ(gpu.launch(kernel, {blocks}, {threads}, x), CUDA_SUCCESS);
    EXPECT_EQ(gpu.wait(), CUDA_ERROR_LAUNCH_FAILED) << order;
    EXPECT_GT(gpu.control().emulated_gpu_races(), 0u) << order;
    EXPECT_THAT(gpu.messages(), AllOf(HasSubstr(kernel), check)) << order;
  }
}

TEST(Races, AMissingBarrierGivesWrongResults) {
  int wrong = 0;
  for (const char* order : kOrders) {
    TestGpu gpu(false);
    gpu.control().emulated_gpu_set_order(order);
    const CUdeviceptr x = gpu.upload(numbers(128));
    ASSERT_EQ(gpu.launch("reverse_block_unguarded", {1}, {128}, x), CUDA_SUCCESS);
    const auto result = gpu.download<float>(x, 128);
    bool right = true;
    for (int i = 0; i < 128; ++i) right = right && result[i] == static_cast<float>(128 - i);
    wrong += right ? 0 : 1;
  }
  EXPECT_EQ(wrong, 4);
}

TEST(Races, AMissingBarrierIsReported) {
  expect_race("reverse_block_unguarded", 2, 128,
              AllOf(HasSubstr("of shared memory"), HasSubstr("of its block has"), HasSubstr("no barrier between")));
}

TEST(Races, AMissingBarrierOfAWarpIsReported) {
  expect_race("reverse_warp_unguarded", 1, 128, HasSubstr("no barrier between"));
}

TEST(Races, BlocksThatWriteTheSameWordAreReported) {
  expect_race("write_from_all_blocks", 3, 32, AllOf(HasSubstr("byte 0 of the 4096 bytes"), HasSubstr("another block")));
}

TEST(Races, ABlockThatWritesWhatOthersReadIsReported) {
  expect_race("read_then_write_first", 4, 32, HasSubstr("another block"));
}

TEST(Races, AreCountedOnceTold) {
  TestGpu gpu(true);
  const CUdeviceptr x = gpu.upload(numbers(1024));
  ASSERT_EQ(gpu.launch("write_from_all_blocks", {50}, {32}, x), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(gpu.messages(), HasSubstr("more in write_from_all_blocks"));
}

}  // namespace
}  // namespace emulated
