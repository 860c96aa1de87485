// SPDX-License-Identifier: Apache-2.0
// Streams run late, and in an order that only events and waits decide: what a program forgets to wait for has not
// happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "emulated_test/test_gpu.h"

namespace emulated {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

class Streams : public testing::TestWithParam<const char*> {
 protected:
  Streams() : gpu(false), plain(gpu) { gpu.control().emulated_gpu_set_order(GetParam()); }
  TestGpu gpu;
  TestGpu& plain;
};

INSTANTIATE_TEST_SUITE_P(All, Streams, testing::Values("forward", "backward", "random:5"), [](const auto& way) {
  const std::string order = way.param;
  return order.substr(0, order.find(':'));
});

std::vector<float> numbers(size_t count) {
  std::vector<float> result(count);
  std::iota(result.begin(), result.end(), 1.0f);
  return result;
}

struct Pinned {
  Pinned(TestGpu& of, size_t bytes) : gpu(of) { gpu->cuMemHostAlloc(&pointer, bytes, 0); }
  ~Pinned() { gpu->cuMemFreeHost(pointer); }
  float* data() const { return static_cast<float*>(pointer); }
  TestGpu& gpu;
  void* pointer = nullptr;
};

TEST_P(Streams, WaitForEachOthersEvents) {
  const CUstream a = gpu.stream(), b = gpu.make_stream();
  const CUdeviceptr x = gpu.upload(numbers(100)), y = gpu.allocate(400), z = gpu.allocate(400);
  const CUevent event = gpu.make_event();
  ASSERT_EQ(gpu.launch_on(a, "copy", {2}, {32}, y, x, 100), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuEventRecord(event, a), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuStreamWaitEvent(b, event, 0), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch_on(b, "copy", {2}, {32}, z, y, 100), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuStreamSynchronize(b), CUDA_SUCCESS);
  EXPECT_EQ(gpu.download<float>(z, 100), numbers(100));
}

TEST_P(Streams, AnEventNeverRecordedIsNothingToWaitFor) {
  ASSERT_EQ(gpu->cuStreamWaitEvent(gpu.stream(), gpu.make_event(), 0), CUDA_SUCCESS);
  EXPECT_EQ(gpu.wait(), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuEventQuery(gpu.make_event()), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuEventSynchronize(gpu.make_event()), CUDA_SUCCESS);
}

TEST_P(Streams, AWaitIsForTheLastRecordBeforeIt) {
  const CUstream a = gpu.stream(), b = gpu.make_stream();
  const CUevent event = gpu.make_event();
  ASSERT_EQ(gpu->cuEventRecord(event, a), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuStreamWaitEvent(b, event, 0), CUDA_SUCCESS);
  // Recorded again after work that waits for b: were this waited for, both would wait for ever.
  const CUevent other = gpu.make_event();
  ASSERT_EQ(gpu->cuEventRecord(other, b), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuStreamWaitEvent(a, other, 0), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuEventRecord(event, a), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuEventSynchronize(event), CUDA_SUCCESS);
}

TEST_P(Streams, PollingComesToAnEnd) {
  const CUdeviceptr x = gpu.upload(numbers(10)), y = gpu.allocate(40);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(gpu.launch("copy", {1}, {32}, y, x, 10), CUDA_SUCCESS);
  const CUevent event = gpu.make_event();
  ASSERT_EQ(gpu->cuEventRecord(event, gpu.stream()), CUDA_SUCCESS);
  int polls = 0;
  while (gpu->cuEventQuery(event) == CUDA_ERROR_NOT_READY && polls < 100) ++polls;
  EXPECT_GE(polls, 5);
  EXPECT_LT(polls, 10);
}

TEST_P(Streams, PageableMemoryIsReadAtTheCallPinnedWhenTheCopyRuns) {
  std::vector<float> pageable = numbers(8);
  const Pinned pinned(gpu, 32);
  std::fill_n(pinned.data(), 8, 1.0f);
  const CUdeviceptr x = gpu.allocate(32), y = gpu.allocate(32);
  ASSERT_EQ(gpu->cuMemcpyHtoDAsync_v2(x, pageable.data(), 32, gpu.stream()), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuMemcpyHtoDAsync_v2(y, pinned.data(), 32, gpu.stream()), CUDA_SUCCESS);
  std::fill_n(pageable.data(), 8, -1.0f);
  std::fill_n(pinned.data(), 8, 2.0f);
  EXPECT_EQ(gpu.download<float>(x, 8), numbers(8));
  EXPECT_THAT(gpu.download<float>(y, 8), Each(2.0f));
}

TEST_P(Streams, PinnedMemoryIsWrittenWhenTheCopyRuns) {
  const Pinned pinned(gpu, 32);
  std::fill_n(pinned.data(), 8, -1.0f);
  const CUdeviceptr x = gpu.upload(numbers(8));
  ASSERT_EQ(gpu->cuMemcpyDtoHAsync_v2(pinned.data(), x, 32, gpu.stream()), CUDA_SUCCESS);
  EXPECT_EQ(pinned.data()[0], -1.0f);
  ASSERT_EQ(gpu.wait(), CUDA_SUCCESS);
  EXPECT_EQ(pinned.data()[7], 8.0f);
}

TEST_P(Streams, TheStreamNullWaitsForOthersAndTheyForIt) {
  const CUstream a = gpu.make_stream(CU_STREAM_DEFAULT), b = gpu.make_stream(CU_STREAM_DEFAULT);
  const CUdeviceptr x = gpu.upload(numbers(10)), y = gpu.allocate(40), z = gpu.allocate(40), w = gpu.allocate(40);
  ASSERT_EQ(gpu.wait(), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch_on(a, "copy", {1}, {32}, y, x, 10), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch_on(nullptr, "copy", {1}, {32}, z, y, 10), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch_on(b, "copy", {1}, {32}, w, z, 10), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(gpu.download<float>(w, 10), numbers(10));
}

TEST_P(Streams, EventsTellTimes) {
  const CUevent begin = gpu.make_event(), end = gpu.make_event();
  const CUdeviceptr x = gpu.upload(numbers(100000)), y = gpu.allocate(400000);
  ASSERT_EQ(gpu->cuEventRecord(begin, gpu.stream()), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch("copy", {100}, {256}, y, x, 100000), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuEventRecord(end, gpu.stream()), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(gpu->cuEventElapsedTime(&milliseconds, begin, end), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(gpu.wait(), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuEventElapsedTime(&milliseconds, begin, end), CUDA_SUCCESS);
  EXPECT_GT(milliseconds, 0);
}

TEST(MissingWaits, GiveWrongResultsInOneOfTheOrders) {
  bool wrong = false;
  for (const char* order : {"forward", "backward"}) {
    TestGpu gpu(false);
    gpu.control().emulated_gpu_set_order(order);
    const CUstream other = gpu.make_stream();
    const CUdeviceptr x = gpu.upload(numbers(100)), y = gpu.allocate(400);
    ASSERT_EQ(gpu.launch_on(other, "copy", {2}, {32}, y, x, 100), CUDA_SUCCESS);  // before x has arrived
    ASSERT_EQ(gpu->cuStreamSynchronize(other), CUDA_SUCCESS);
    const auto result = gpu.download<float>(y, 100);
    wrong = wrong || std::isnan(result[0]);
  }
  EXPECT_TRUE(wrong);
}

TEST(MissingWaits, AreRacesInTheCheckedBuild) {
  for (const char* order : {"forward", "backward", "random:2"}) {
    TestGpu gpu(true);
    gpu.control().emulated_gpu_set_order(order);
    const CUstream other = gpu.make_stream();
    const CUdeviceptr x = gpu.upload(numbers(100)), y = gpu.allocate(400);
    ASSERT_EQ(gpu.launch_on(other, "copy", {2}, {32}, y, x, 100), CUDA_SUCCESS);
    EXPECT_EQ(gpu->cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED) << order;
    EXPECT_GT(gpu.control().emulated_gpu_races(), 0u);
    EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("race: "), HasSubstr("with no event between")));
  }
}

// A buffer that one stream overwrites while another may still read it.
TEST(MissingWaits, OfAWriterForAReaderAreRaces) {
  TestGpu gpu(true);
  const CUstream other = gpu.make_stream();
  const CUdeviceptr x = gpu.upload(numbers(100)), y = gpu.allocate(400), z = gpu.allocate(400);
  ASSERT_EQ(gpu.wait(), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch_on(other, "copy", {2}, {32}, y, x, 100), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch("copy", {2}, {32}, z, x, 100), CUDA_SUCCESS);  // two readers do not race
  ASSERT_EQ(gpu->cuMemsetD8Async(x, 0, 400, gpu.stream()), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(gpu.messages(), AllOf(HasSubstr("race: "), HasSubstr("with no event between")));
}

TEST(MissingWaits, AreNoneIfTheHostHasWaited) {
  TestGpu gpu(true);
  const CUstream other = gpu.make_stream();
  const CUdeviceptr x = gpu.upload(numbers(100)), y = gpu.allocate(400);
  ASSERT_EQ(gpu.wait(), CUDA_SUCCESS);
  ASSERT_EQ(gpu.launch_on(other, "copy", {2}, {32}, y, x, 100), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuStreamSynchronize(other), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuMemsetD8Async(x, 0, 400, gpu.stream()), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(gpu.control().emulated_gpu_races(), 0u);
}

TEST(FreedMemory, IsRefusedByCopies) {
  TestGpu gpu(false);
  const CUdeviceptr x = gpu.allocate(64);
  float value = 1;
  ASSERT_EQ(gpu->cuMemcpyHtoDAsync_v2(x, &value, 4, gpu.stream()), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuMemFree_v2(x), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuMemcpyHtoDAsync_v2(x, &value, 4, gpu.stream()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->cuMemFree_v2(x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(gpu.messages(), HasSubstr("which were freed"));
}

TEST(FreedMemory, ThatWasPinnedIsRefusedWhenTheCopyRuns) {
  TestGpu gpu(false);
  const CUdeviceptr x = gpu.allocate(64);
  void* pinned = nullptr;
  ASSERT_EQ(gpu->cuMemHostAlloc(&pinned, 64, 0), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuMemcpyHtoDAsync_v2(x, pinned, 64, gpu.stream()), CUDA_SUCCESS);
  ASSERT_EQ(gpu->cuMemFreeHost(pinned), CUDA_SUCCESS);
  EXPECT_EQ(gpu->cuMemcpyHtoDAsync_v2(x, pinned, 64, gpu.stream()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu.wait(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(gpu.messages(), HasSubstr("after the pinned memory"));
}

// Two threads with a device each, and one more that waits for one of them.
TEST(Threads, MayUseDevicesAtOnce) {
  TestGpu first(false, 0);
  const CUdeviceptr x = first.upload(numbers(1000)), y = first.allocate(4000);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(first.launch("copy", {4}, {64}, y, x, 1000), CUDA_SUCCESS);
  std::vector<float> theirs;
  std::thread second([&] {
    TestGpu own(false, 1);
    const CUdeviceptr a = own.upload(numbers(1280));
    for (int i = 0; i < 201; ++i) own.launch("reverse_block", {10}, {128}, a);
    theirs = own.download<float>(a, 1280);
  });
  std::thread third([&] {
    first->cuCtxSetCurrent(first.context());
    EXPECT_EQ(first->cuStreamSynchronize(first.stream()), CUDA_SUCCESS);
  });
  EXPECT_EQ(first.download<float>(y, 1000), numbers(1000));
  second.join();
  third.join();
  EXPECT_EQ(theirs[0], 128);
  EXPECT_EQ(theirs[1279], 1153);
}

}  // namespace
}  // namespace emulated
