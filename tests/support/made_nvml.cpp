// SPDX-License-Identifier: Apache-2.0
// A library with the names and the interface of NVIDIA's management library, for machines without a GPU: it knows two,
// and the second one cannot tell its power. Built as a shared library of its own, and loaded as the real one is.
#include "resources/nvml.h"

namespace {

using namespace verbund::nvml;  // NOLINT(google-build-using-namespace)

bool started = false;
char devices[2];

bool is_second(Device device) { return reinterpret_cast<char*>(device) == &devices[1]; }

constexpr Result kUninitialized = 1, kNotSupported = 3;

}  // namespace

extern "C" {

Result nvmlInit_v2() {
  started = true;
  return kSuccess;
}

Result nvmlShutdown() {
  started = false;
  return kSuccess;
}

Result nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = 2;
  return started ? kSuccess : kUninitialized;
}

Result nvmlDeviceGetHandleByIndex_v2(unsigned int index, Device* device) {
  *device = reinterpret_cast<Device>(&devices[index]);
  return started ? kSuccess : kUninitialized;
}

Result nvmlDeviceGetUtilizationRates(Device device, Utilization* rates) {
  *rates = {is_second(device) ? 0U : 87U, 12};
  return kSuccess;
}

Result nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  *memory = {80ULL << 30, 1, is_second(device) ? 4ULL << 20 : 30ULL << 30};
  return kSuccess;
}

Result nvmlDeviceGetPowerUsage(Device device, unsigned int* milliwatts) {
  *milliwatts = 250500;
  return is_second(device) ? kNotSupported : kSuccess;
}

Result nvmlDeviceGetTemperature(Device device, int sensor, unsigned int* degrees) {
  *degrees = is_second(device) ? 31 : 64;
  return sensor == kTemperatureOfGpu ? kSuccess : kNotSupported;
}
}
