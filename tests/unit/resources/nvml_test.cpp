// SPDX-License-Identifier: Apache-2.0
#include "resources/nvml.h"

#include <gmock/gmock.h>

#include <type_traits>

#include "resources/resource_source.h"
#include "support/temporary_folder.h"

#ifdef VERBUND_NVML_HEADER
#include <nvml.h>
#endif

namespace verbund {
namespace {

TEST(Nvml, TellsWhatEachGpuCanTell) {
  const auto nvml = Nvml::load(VERBUND_MADE_NVML);
  ASSERT_NE(nvml, nullptr);
  ASSERT_EQ(nvml->devices(), 2);
  const GpuState first = nvml->state(0), second = nvml->state(1);
  EXPECT_DOUBLE_EQ(first.use.value(), 0.87);
  EXPECT_EQ(first.memory_bytes, static_cast<double>(30ULL << 30));
  EXPECT_EQ(first.power_w, 250.5);
  EXPECT_EQ(first.temperature_c, 64);
  EXPECT_EQ(second.use, 0);
  EXPECT_FALSE(second.power_w);
  EXPECT_EQ(second.temperature_c, 31);
}

TEST(Nvml, BecomesColumns) {
  const ResourceSource source = gpu_source(Nvml::load(VERBUND_MADE_NVML));
  ASSERT_EQ(source.columns.size(), 8u);
  EXPECT_EQ(source.columns[0].column.name, "gpu.0.use");
  EXPECT_EQ(source.columns[7].column.name, "gpu.1.temperature_c");
  std::vector<double> values(8, -1);
  source.read(values);
  EXPECT_THAT(values, ::testing::ElementsAre(0.87, 30.0 * (1 << 30), 250.5, 64, 0, 4 << 20, -1, 31));
}

TEST(Nvml, WithoutTheLibraryThereIsNothing) {
  EXPECT_EQ(Nvml::load("libverbund-no-such-library.so.1"), nullptr);
  const TemporaryFolder folder;
  EXPECT_EQ(Nvml::load(folder.write("damaged.so", "no library")), nullptr);
  EXPECT_EQ(Nvml::load("libc.so.6"), nullptr) << "a library without the functions";
  EXPECT_TRUE(gpu_source(nullptr).columns.empty());
}

#ifdef VERBUND_NVML_HEADER
// What is handed over in the same place of memory or registers: enums are ints, handles are pointers.
template <typename Ours, typename Theirs>
constexpr bool same() {
  return sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
         std::is_unsigned_v<Ours> == (std::is_unsigned_v<Theirs> && !std::is_enum_v<Theirs>);
}

template <typename Ours, typename Theirs>
struct SameFunction : std::false_type {};
template <typename... Ours, typename... Theirs>
struct SameFunction<int (*)(Ours...), nvmlReturn_t(Theirs...)>
    : std::bool_constant<sizeof...(Ours) == sizeof...(Theirs) && (same<Ours, Theirs>() && ...)> {};

static_assert(sizeof(nvmlReturn_t) == sizeof(nvml::Result) && NVML_SUCCESS == nvml::kSuccess);
static_assert(NVML_TEMPERATURE_GPU == nvml::kTemperatureOfGpu);
static_assert(sizeof(nvmlUtilization_t) == sizeof(nvml::Utilization) && offsetof(nvmlUtilization_t, gpu) == 0);
static_assert(sizeof(nvmlMemory_t) == sizeof(nvml::Memory) &&
              offsetof(nvmlMemory_t, used) == offsetof(nvml::Memory, used));
static_assert(SameFunction<nvml::Init, decltype(nvmlInit_v2)>::value);
static_assert(SameFunction<nvml::Shutdown, decltype(nvmlShutdown)>::value);
static_assert(SameFunction<nvml::DeviceGetCount, decltype(nvmlDeviceGetCount_v2)>::value);
static_assert(SameFunction<nvml::DeviceGetHandleByIndex, decltype(nvmlDeviceGetHandleByIndex_v2)>::value);
static_assert(SameFunction<nvml::DeviceGetUtilizationRates, decltype(nvmlDeviceGetUtilizationRates)>::value);
static_assert(SameFunction<nvml::DeviceGetMemoryInfo, decltype(nvmlDeviceGetMemoryInfo)>::value);
static_assert(SameFunction<nvml::DeviceGetPowerUsage, decltype(nvmlDeviceGetPowerUsage)>::value);
static_assert(SameFunction<nvml::DeviceGetTemperature, decltype(nvmlDeviceGetTemperature)>::value);
#endif

// Whether the declarations are those of NVIDIA's header is decided by the compiler, above.
TEST(Nvml, DeclarationsAreThoseOfTheHeader) {
#ifndef VERBUND_NVML_HEADER
  GTEST_SKIP() << "there is no nvml.h here (-DVERBUND_NVML_INCLUDE=FOLDER names one)";
#endif
}

}  // namespace
}  // namespace verbund
