// SPDX-License-Identifier: Apache-2.0
// cpu() is the device of tests, and the helpers here put values into its memory.
#pragma once

#include "device/cpu_device.h"
#include "device/weights.h"

namespace verbund {

inline CpuDevice& cpu() {
  static CpuDevice device;
  return device;
}

inline Buffer on_cpu(std::span<const float> values) {
  Buffer buffer(cpu(), values.size(), "a test");
  buffer.upload(values);
  return buffer;
}

}  // namespace verbund
