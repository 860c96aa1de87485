// SPDX-License-Identifier: Apache-2.0
#include "resources/nvml.h"

#include <dlfcn.h>

namespace verbund {

std::shared_ptr<Nvml> Nvml::load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  std::shared_ptr<Nvml> nvml(new Nvml(handle));
  return nvml->start() ? nvml : nullptr;
}

Nvml::Nvml(void* library) : library_(library) {}

Nvml::~Nvml() {
  if (const auto shutdown = find<nvml::Shutdown>("nvmlShutdown"); started_ && shutdown != nullptr) shutdown();
  ::dlclose(library_);
}

template <typename Function>
Function Nvml::find(const char* name) const {
  return reinterpret_cast<Function>(::dlsym(library_, name));
}

bool Nvml::start() {
  const auto init = find<nvml::Init>("nvmlInit_v2");
  const auto get_count = find<nvml::DeviceGetCount>("nvmlDeviceGetCount_v2");
  const auto get_device = find<nvml::DeviceGetHandleByIndex>("nvmlDeviceGetHandleByIndex_v2");
  if (init == nullptr || get_count == nullptr || get_device == nullptr || init() != nvml::kSuccess) return false;
  started_ = true;
  use_ = find<nvml::DeviceGetUtilizationRates>("nvmlDeviceGetUtilizationRates");
  memory_ = find<nvml::DeviceGetMemoryInfo>("nvmlDeviceGetMemoryInfo");
  power_ = find<nvml::DeviceGetPowerUsage>("nvmlDeviceGetPowerUsage");
  temperature_ = find<nvml::DeviceGetTemperature>("nvmlDeviceGetTemperature");
  unsigned int count = 0;
  if (get_count(&count) != nvml::kSuccess) return false;
  for (unsigned int i = 0; i < count; ++i) {
    nvml::Device device = nullptr;
    if (get_device(i, &device) != nvml::kSuccess) device = nullptr;  // keeps its number, and has no values
    devices_.push_back(device);
  }
  return !devices_.empty();
}

GpuState Nvml::state(int index) const {
  GpuState state;
  const nvml::Device device = devices_[static_cast<size_t>(index)];
  if (device == nullptr) return state;
  nvml::Utilization use = {};
  nvml::Memory memory = {};
  unsigned int milliwatts = 0, degrees = 0;
  if (use_ != nullptr && use_(device, &use) == nvml::kSuccess) state.use = use.gpu / 100.0;
  if (memory_ != nullptr && memory_(device, &memory) == nvml::kSuccess) {
    state.memory_bytes = static_cast<double>(memory.used);
  }
  if (power_ != nullptr && power_(device, &milliwatts) == nvml::kSuccess) state.power_w = milliwatts / 1000.0;
  if (temperature_ != nullptr && temperature_(device, nvml::kTemperatureOfGpu, &degrees) == nvml::kSuccess) {
    state.temperature_c = degrees;
  }
  return state;
}

}  // namespace verbund
