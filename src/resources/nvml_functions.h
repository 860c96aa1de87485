// The few functions of NVIDIA's management library (libnvidia-ml.so.1) that are used, as its interface describes them.
// Declared here, so that the program is built without NVIDIA's headers; a test compares them with the real ones where
// there are any.
#pragma once

namespace verbund::nvml {

using Result = int;  // an enum in the library; 0: success
using Device = struct nvmlDevice_st*;
constexpr Result kSuccess = 0;
constexpr int kTemperatureOfGpu = 0;  // an enum

struct Utilization {
  unsigned int gpu;     // percent of the last sample period in which some kernel ran
  unsigned int memory;  // ... in which memory was read or written
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
