// SPDX-License-Identifier: Apache-2.0
// Nvml reads the state of this machine's GPUs through NVIDIA's management library (libnvidia-ml.so.1). The library is
// loaded at run time; without it, no GPU is found and nothing else changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

// The functions that are used, as the library's interface describes them. They are declared here so that the program is
// built without NVIDIA's headers; a test compares them with the real ones where those are installed.
namespace verbund::nvml {

using Result = int;  // an enum in the library; 0: success
using Device = struct nvmlDevice_st*;
constexpr Result kSuccess = 0;
constexpr int kTemperatureOfGpu = 0;  // an enum

struct Utilization {
  unsigned int gpu;     // percent of the last sample period in which a kernel ran
  unsigned int memory;  // the same, in which memory was read or written
};

struct Memory {
  unsigned long long total, free, used;  // bytes
};

using Init = Result (*)();                                                        // nvmlInit_v2
using Shutdown = Result (*)();                                                    // nvmlShutdown
using DeviceGetCount = Result (*)(unsigned int* count);                           // nvmlDeviceGetCount_v2
using DeviceGetHandleByIndex = Result (*)(unsigned int index, Device* device);    // nvmlDeviceGetHandleByIndex_v2
using DeviceGetUtilizationRates = Result (*)(Device device, Utilization* rates);  // nvmlDeviceGetUtilizationRates
using DeviceGetMemoryInfo = Result (*)(Device device, Memory* memory);            // nvmlDeviceGetMemoryInfo
using DeviceGetPowerUsage = Result (*)(Device device, unsigned int* milliwatts);  // nvmlDeviceGetPowerUsage
using DeviceGetTemperature = Result (*)(Device device, int sensor, unsigned int* degrees);  // nvmlDeviceGetTemperature

}  // namespace verbund::nvml

namespace verbund {

// A value is empty if the library or the GPU does not report it.
struct GpuState {
  std::optional<double> use;  // share of the time in which a kernel ran
  std::optional<double> memory_bytes;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
};

class Nvml {
 public:
  // nullptr: the library is not installed, or it knows no GPU.
  static std::shared_ptr<Nvml> load(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  int devices() const { return static_cast<int>(devices_.size()); }
  GpuState state(int device) const;

 private:
  explicit Nvml(void* library);
  bool start();

  template <typename Function>
  Function find(const char* name) const;

  void* library_;
  bool started_ = false;
  std::vector<nvml::Device> devices_;
  nvml::DeviceGetUtilizationRates use_ = nullptr;
  nvml::DeviceGetMemoryInfo memory_ = nullptr;
  nvml::DeviceGetPowerUsage power_ = nullptr;
  nvml::DeviceGetTemperature temperature_ = nullptr;
};

}  // namespace verbund
