// SPDX-License-Identifier: Apache-2.0
// Memory, copies, events, streams and cached kernels of a GPU.
#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <numeric>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "gpu/gpu.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund::device_test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class GpuDevice : public GpuTest {};
INSTANTIATE_TEST_SUITE_P(In, GpuDevice, ::testing::Values(Precision::kFp32), GpuTest::name);

TEST_P(GpuDevice, SaysWhatItIs) {
  const DeviceFacts& facts = device().facts();
  EXPECT_EQ(facts.kind, "cuda");
  EXPECT_THAT(facts.uuid, MatchesRegex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GE(facts.architecture, 70);
  EXPECT_GT(facts.memory, 0U);
  EXPECT_THAT(facts.libraries, HasSubstr("cuBLAS"));
  EXPECT_THAT(facts.description, HasSubstr(facts.name));
  EXPECT_FALSE(device().is_host());
}

TEST_P(GpuDevice, MemoryIsZeroAndCounted) {
  const uint64_t before = device().memory().taken;
  void* memory = device().allocate(1000, "a test");
  EXPECT_EQ(device().memory().taken, before + 1000);
  std::vector<char> values(1000, 1);
  device().download(values.data(), memory, 1000);
  EXPECT_EQ(values, std::vector<char>(1000));
  device().release(memory, 1000);
  EXPECT_EQ(device().memory().taken, before);
  EXPECT_EQ(device().allocate(0, "nothing"), nullptr);
  device().release(nullptr, 0);
}

TEST_P(GpuDevice, TooMuchMemorySaysForWhatAndWhatToDo) {
  const OnDevice<float> held(device(), Floats(3 << 20));
  const MemoryUse use = device().memory();
  EXPECT_GE(use.taken, 12U << 20);
  EXPECT_LE(use.free, use.total - use.taken);
  EXPECT_ERROR(device().allocate(2 * use.total, "activations"), Error, HasSubstr(human_bytes(2 * use.total)),
               HasSubstr("activations"), HasSubstr(human_bytes(use.free)), HasSubstr(human_bytes(use.total)),
               HasSubstr(human_bytes(use.taken)), HasSubstr("train.micro_batch_tokens"));
  EXPECT_EQ(device().memory().taken, use.taken);
  OnDevice<float> fine(device(), {1, 2});  // and it goes on
  EXPECT_EQ(fine.get(), (Floats{1, 2}));
}

TEST_P(GpuDevice, WhatWasUploadedMayBeChangedAtOnce) {
  // More than the ring of pinned memory holds, in parts of all sizes.
  const size_t size = 6 << 20;
  Floats values(size);
  std::iota(values.begin(), values.end(), 0.0f);
  const Floats expected = values;
  auto* memory = static_cast<float*>(device().allocate(size * sizeof(float), "a test"));
  size_t at = 0, part = 1;
  while (at < size) {
    const size_t count = std::min(part, size - at);
    device().upload(memory + at, values.data() + at, count * sizeof(float));
    std::fill_n(values.data() + at, count, -1.0f);
    at += count;
    part = part * 3 % 1'500'007;
  }
  Floats found(size);
  device().download(found.data(), memory, size * sizeof(float));
  device().release(memory, size * sizeof(float));
  EXPECT_TRUE(same_bits(expected, found));
}

// Through pinned memory in sections: one and a part of it, more than all of them, with uploads before and after.
TEST_P(GpuDevice, DownloadsOfAllSizes) {
  const size_t section = (2 << 20) / sizeof(float);
  for (const size_t size : {size_t{1}, section - 1, section, section + 1, 8 * section, 19 * section + 5}) {
    Floats values(size);
    std::iota(values.begin(), values.end(), 1.0f);
    const OnDevice<float> first(device(), values), second(device(), Floats(size));
    EXPECT_TRUE(same_bits(first.get(), values)) << size;
    device().copy(second.data(), first.data(), size * sizeof(float));
    device().upload(first.data(), Floats(size, -1).data(), size * sizeof(float));
    EXPECT_TRUE(same_bits(second.get(), values)) << size;
    EXPECT_TRUE(same_bits(first.get(), Floats(size, -1))) << size;
  }
}

TEST_P(GpuDevice, CopiesAndZeroes) {
  const OnDevice<float> a(device(), random_values(100, 1)), b(device(), Floats(100));
  device().copy(b.data() + 50, a.data(), 50 * sizeof(float));
  device().zero(b.data() + 60, 10 * sizeof(float));
  const Floats found = b.get(), from = a.get();
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(found[i], i < 50 || (i >= 60 && i < 70) ? 0 : from[i - 50]) << i;
}

// The way of gradients: they leave on a stream beside the main one, change on the host, and come back.
TEST_P(GpuDevice, ASideStreamComesAfterWhatItWaitsFor) {
  for (const char* order : {"forward", "backward", "random:3"}) {
    if (emulator() != nullptr) emulator()->emulated_gpu_set_order(order);
    const size_t size = 1000;
    const OnDevice<float> a(device(), random_values(size, 1)), b(device(), random_values(size, 2));
    auto* pinned = static_cast<float*>(device().allocate_host(size * sizeof(float)));
    const std::unique_ptr<SideStream> side = device().make_side_stream();
    device().ema({size, a.data(), b.data(), 1.0f});  // b = a
    side->wait_for(*device().mark());
    side->download(pinned, b.data(), size * sizeof(float));
    side->synchronize();
    const Floats expected = random_values(size, 1);
    for (size_t i = 0; i < size; ++i) {
      ASSERT_NEAR(pinned[i], expected[i], 1e-6);
      pinned[i] += 1;
    }
    side->upload(b.data(), pinned, size * sizeof(float));
    device().wait_for(*side->mark());
    device().swap({size, a.data(), b.data()});
    const Floats found = a.get();
    for (size_t i = 0; i < size; ++i) ASSERT_NEAR(found[i], expected[i] + 1, 1e-6) << order;
    device().synchronize();
    device().release_host(pinned, size * sizeof(float));
  }
}

TEST_P(GpuDevice, AnyThreadMayWaitForAMoment) {
  const OnDevice<float> a(device(), random_values(1000, 1)), b(device(), Floats(1000));
  device().copy(b.data(), a.data(), 4000);
  const std::unique_ptr<DeviceEvent> event = device().mark();
  std::atomic<bool> waited = false;
  std::thread([&] {
    event->wait();
    waited = true;
  }).join();
  EXPECT_TRUE(waited);
}

TEST_P(GpuDevice, OtherDevicesMomentsAreRefused) {
  CpuDevice cpu;
  const std::unique_ptr<DeviceEvent> event = cpu.mark();
  EXPECT_THROW(device().wait_for(*event), Error);
}

TEST_P(GpuDevice, AnotherThreadMayUseADevice) {
  std::unique_ptr<cuda::CudaDevice> other;
  std::thread([&] {
    other = std::make_unique<cuda::CudaDevice>(gpu_libraries(), cuda::CudaDeviceOptions{});
    const OnDevice<float> values(*other, {1, 2, 3});
    EXPECT_EQ(values.get(), (Floats{1, 2, 3}));
  }).join();
  const OnDevice<float> values(*other, {4, 5});
  EXPECT_EQ(values.get(), (Floats{4, 5}));
}

TEST_P(GpuDevice, NumbersThatAreNotThereAreRefused) {
  EXPECT_ERROR(cuda::CudaDevice(gpu_libraries(), {.number = 99}), Error, HasSubstr("99"));
}

TEST_P(GpuDevice, PrecisionsThatItDoesNotHaveAreRefused) {
  EXPECT_THAT(cuda::trouble_with(Precision::kBf16, 75), HasSubstr("fp16"));
  EXPECT_EQ(cuda::trouble_with(Precision::kBf16, 80), "");
  EXPECT_EQ(cuda::trouble_with(Precision::kFp16, 70), "");
}

TEST_P(GpuDevice, KeepsCompiledKernels) {
  const TemporaryFolder folder;
  const cuda::CudaDeviceOptions options{.cache = folder.path() / "new"};
  const auto works = [&] {
    cuda::CudaDevice device(gpu_libraries(), options);
    const OnDevice<float> a(device, {1}), b(device, {2});
    device.swap({1, a.data(), b.data()});
    return a.get() == Floats{2};
  };
  const auto kept = [&] { return list_folder(options.cache); };
  EXPECT_TRUE(works());
  ASSERT_EQ(kept().size(), 1U);
  const std::filesystem::path path = kept()[0];
  const std::string content = read_file(path);
  const auto time = std::filesystem::last_write_time(path);
  EXPECT_TRUE(works());
  EXPECT_EQ(std::filesystem::last_write_time(path), time);
  // A damaged file is rebuilt, and one that is not a file does no harm.
  for (const std::string& damaged : {std::string(), content.substr(0, content.size() / 2), "x" + content.substr(1)}) {
    write_file(path, damaged);
    EXPECT_TRUE(works());
    EXPECT_EQ(read_file(path), content);
  }
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_TRUE(works());
}

}  // namespace
}  // namespace verbund::device_test
