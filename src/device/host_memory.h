// Floats in the host's memory that a device copies from and to fastest.
#pragma once

#include <span>

#include "device/device.h"

namespace verbund {

class HostMemory {
 public:
  HostMemory(Device& device, size_t size)
      : device_(device), size_(size), data_(static_cast<float*>(device.allocate_host(size * sizeof(float)))) {}
  ~HostMemory() { device_.release_host(data_, size_ * sizeof(float)); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  std::span<float> values() const { return {data_, size_}; }

 private:
  Device& device_;
  size_t size_;
  float* data_;
};

}  // namespace verbund
