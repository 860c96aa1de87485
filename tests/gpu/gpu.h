// SPDX-License-Identifier: Apache-2.0
// GpuTest compares operations on a GPU with the CPU's. The GPU is the one that VERBUND_CUDA_PATH leads to, if that is
// set, else the emulated one of the build folder. An operation is written once and runs on both devices: on the CPU
// with its best instruction set, in float, from inputs that were rounded to the GPU's compute dtype; on the GPU several
// times, with threads, blocks and streams of the emulated one in other orders, and always to the same bits.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/cuda_device.h"
#include "device/cpu_device.h"
#include "emulated/emulated_gpu.h"
#include "support/buffers.h"

namespace verbund {

using Floats = std::vector<float>;
using Outputs = std::map<std::string, Floats>;  // what an operation wrote, by name

const std::shared_ptr<const cuda::CudaLibraries>& gpu_libraries();
// One for all tests of a precision.
cuda::CudaDevice& gpu(Precision precision = Precision::kFp32);
// Null if the GPU is a real one.
const emulated::ControlFunctions* emulator();

float rounded(float x, FloatType type);
Floats rounded(Floats values, FloatType type);

// An array in a device's memory, of numbers of any type.
template <typename T>
class OnDevice {
 public:
  OnDevice(Device& device, const std::vector<T>& values) : device_(device), size_(values.size()) {
    if (size_ == 0) return;
    data_ = static_cast<T*>(device_.allocate(size_ * sizeof(T), "a test"));
    device_.upload(data_, values.data(), size_ * sizeof(T));
  }
  ~OnDevice() { device_.release(data_, size_ * sizeof(T)); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() const { return data_; }  // null if it is empty
  std::vector<T> get() const {
    std::vector<T> values(size_);
    device_.download(values.data(), data_, size_ * sizeof(T));
    return values;
  }

 private:
  Device& device_;
  size_t size_;
  T* data_ = nullptr;
};

// The same of floats that are kept in the device's memory as another type.
class TypedOnDevice {
 public:
  // On a CPU all are floats.
  TypedOnDevice(Device& device, const Floats& values, FloatType type);
  TypedFloats data() const;
  Floats get() const;

 private:
  FloatType type_;
  std::unique_ptr<OnDevice<float>> floats_;
  std::unique_ptr<OnDevice<uint16_t>> bits_;
};

// GetParam() is the precision. Fails if the race checker has seen a race.
class GpuTest : public ::testing::TestWithParam<Precision> {
 public:
  static std::string name(const ::testing::TestParamInfo<Precision>& info);

 protected:
  void SetUp() override;
  void TearDown() override;

  cuda::CudaDevice& device() { return gpu(GetParam()); }
  FloatType type() { return device().compute_dtype(); }
  // Random numbers that the GPU's compute dtype represents exactly.
  Floats operands(int64_t count, uint64_t seed, double size = 1) {
    return rounded(random_values(static_cast<size_t>(count), seed, size), type());
  }
  // The largest allowed distance from the CPU's result: of numbers in float, and of those in the compute dtype.
  double float_error() const { return 1e-5; }
  double operand_error() {
    return type() == FloatType::kFp32 ? 1e-5 : type() == FloatType::kBf16 ? 1.0 / 200 : 1.0 / 1600;
  }

  // The result of `run(device)` on the GPU, the same bits every time, is near the result on the CPU. Outputs whose
  // names end in "." are in the compute dtype.
  void compare(const std::function<Outputs(Device&)>& run, const std::string& what);
  // The outputs on the GPU.
  Outputs in_any_order(const std::function<Outputs(Device&)>& run);
};
#define VERBUND_FOR_EVERY_PRECISION(Suite)                                                                     \
  INSTANTIATE_TEST_SUITE_P(In, Suite, ::testing::Values(Precision::kFp32, Precision::kBf16, Precision::kFp16), \
                           GpuTest::name)

// Each within `relative` of itself and the largest of its array together.
void expect_near(const Floats& expected, const Floats& found, double relative, const std::string& what);

inline Floats zeros(int64_t count) { return Floats(static_cast<size_t>(count)); }

// n rows of sentences with 1, 2, 3, ... tokens.
std::vector<TokenPosition> token_positions(int64_t n);

}  // namespace verbund
