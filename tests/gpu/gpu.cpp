// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "cuda/libraries.h"
#include "cuda/search.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

uint16_t bits_of(float x, FloatType type) {
  if (type == FloatType::kFp16) return std::bit_cast<uint16_t>(static_cast<_Float16>(x));
  const auto bits = std::bit_cast<uint32_t>(x);
  if (x != x) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float float_of(uint16_t bits, FloatType type) {
  if (type == FloatType::kFp16) return static_cast<float>(std::bit_cast<_Float16>(bits));
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Compiled kernels are kept for the whole program.
const std::filesystem::path& cache() {
  static const TemporaryFolder folder;
  static const std::filesystem::path path = folder.path() / "cache";
  return path;
}

}  // namespace

const std::shared_ptr<const cuda::CudaLibraries>& gpu_libraries() {
  static const auto libraries = [] {
    setenv("VERBUND_EMULATED_ARCH", "80", 0);  // which has bfloat16
    const bool named = std::getenv("VERBUND_CUDA_PATH") != nullptr;
    const cuda::Search search = named ? cuda::usual_search(cuda::SearchVariables::of_environment())
                                      : cuda::search_only(VERBUND_EMULATED_FOLDER);
    auto loaded = std::make_shared<const cuda::CudaLibraries>(cuda::load_cuda(search));
    if (!loaded->usable()) fail("{}", cuda::missing_message(*loaded));
    return loaded;
  }();
  return libraries;
}

cuda::CudaDevice& gpu(Precision precision) {
  static std::map<Precision, std::unique_ptr<cuda::CudaDevice>> devices;
  std::unique_ptr<cuda::CudaDevice>& device = devices[precision];
  if (device == nullptr) {
    device = std::make_unique<cuda::CudaDevice>(gpu_libraries(),
                                                cuda::CudaDeviceOptions{.precision = precision, .cache = cache()});
  }
  return *device;
}

const emulated::ControlFunctions* emulator() {
  static const auto functions = [] {
    auto found = std::make_unique<emulated::ControlFunctions>();
    void* library = dlopen(gpu_libraries()->driver_state.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
#define FIND(result, name, parameters) \
  found->name = library == nullptr ? nullptr : reinterpret_cast<decltype(found->name)>(dlsym(library, #name));
    EMULATED_GPU_FUNCTIONS(FIND)
#undef FIND
    if (found->emulated_gpu_races == nullptr) found.reset();
    return found;
  }();
  return functions.get();
}

float rounded(float x, FloatType type) { return type == FloatType::kFp32 ? x : float_of(bits_of(x, type), type); }

Floats rounded(Floats values, FloatType type) {
  for (float& value : values) value = rounded(value, type);
  return values;
}

TypedOnDevice::TypedOnDevice(Device& device, const Floats& values, FloatType type)
    : type_(device.is_host() ? FloatType::kFp32 : type) {
  if (type_ == FloatType::kFp32) {
    floats_ = std::make_unique<OnDevice<float>>(device, values);
    return;
  }
  std::vector<uint16_t> bits;
  for (const float value : values) bits.push_back(bits_of(value, type));
  bits_ = std::make_unique<OnDevice<uint16_t>>(device, bits);
}

TypedFloats TypedOnDevice::data() const {
  if (floats_ != nullptr) return floats_->data();
  return {bits_->data(), type_};
}

Floats TypedOnDevice::get() const {
  if (floats_ != nullptr) return floats_->get();
  Floats values;
  for (const uint16_t bits : bits_->get()) values.push_back(float_of(bits, type_));
  return values;
}

std::string GpuTest::name(const ::testing::TestParamInfo<Precision>& info) {
  return kPrecisionNames[static_cast<size_t>(info.param)];
}

void GpuTest::SetUp() {
  const std::string trouble = cuda::trouble_with(GetParam(), gpu_libraries()->architectures.at(0));
  if (!trouble.empty()) GTEST_SKIP() << trouble;
}

void GpuTest::TearDown() {
  if (emulator() == nullptr) return;
  EXPECT_EQ(emulator()->emulated_gpu_races(), 0U) << emulator()->emulated_gpu_take_messages();
  emulator()->emulated_gpu_set_order("forward");
}

Outputs GpuTest::in_any_order(const std::function<Outputs(Device&)>& run) {
  Outputs first;
  for (const char* order : {"forward", "backward", "random:1"}) {
    if (emulator() != nullptr) emulator()->emulated_gpu_set_order(order);
    Outputs outputs = run(device());
    if (first.empty()) first = outputs;
    for (const auto& [what, values] : outputs) {
      EXPECT_TRUE(same_bits(first.at(what), values)) << what << " differs in the order " << order;
    }
  }
  return first;
}

void GpuTest::compare(const std::function<Outputs(Device&)>& run, const std::string& what) {
  CpuDevice cpu;
  const Outputs expected = run(cpu), found = in_any_order(run);
  for (const auto& [name, values] : expected) {
    expect_near(values, found.at(name), name.ends_with('.') ? operand_error() : float_error(), what + ": " + name);
  }
}

void expect_near(const Floats& expected, const Floats& found, double relative, const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  double largest = 0, worst = -1;
  for (const float value : expected) largest = std::max<double>(largest, std::abs(value));
  size_t at = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    // Half of the error may be the number's own, half the largest number's.
    const double allowed = relative * (0.5 * std::abs(expected[i]) + 0.5 * largest);
    const double error = std::abs(static_cast<double>(expected[i]) - found[i]);
    const double excess = std::isfinite(error) ? error / std::max(allowed, 1e-30) : 1e30;
    if (excess > worst && !(expected[i] == found[i])) {
      worst = excess;
      at = i;
    }
  }
  EXPECT_LE(worst, 1) << what << " [" << at << "] of " << expected.size() << " is " << (found.empty() ? 0 : found[at])
                      << ", not " << (expected.empty() ? 0 : expected[at]) << "; largest " << largest;
}

std::vector<TokenPosition> token_positions(int64_t n) {
  std::vector<TokenPosition> positions;
  for (uint32_t length = 1; static_cast<int64_t>(positions.size()) < n; ++length) {
    for (uint32_t position = 0; position < length; ++position) positions.push_back({0x500000000U + length, position});
  }
  positions.resize(static_cast<size_t>(n));
  return positions;
}

}  // namespace verbund
