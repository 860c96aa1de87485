// SPDX-License-Identifier: Apache-2.0
// Buffer holds floats in a device's memory, zero at first. The host reads and writes them by copies, or through
// `host()` where the device is the CPU.
#pragma once

#include <span>
#include <vector>

#include "device/device.h"

namespace verbund {

class Buffer {
 public:
  Buffer(Device& device, size_t size, const char* purpose);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;

  Device& device() const { return *device_; }
  size_t size() const { return size_; }
  float* data() const { return data_; }  // the device's address, for its operations

  // The values in place; fails where they are not in the host's memory.
  std::span<float> host() const;

  void upload(std::span<const float> values);
  void download(std::span<float> values) const;
  void zero();

 private:
  Device* device_;
  size_t size_;
  float* data_;
};

// HostCopy gives the host a buffer's values to read: in place if they are in its memory, else as a copy.
class HostCopy {
 public:
  explicit HostCopy(const Buffer& buffer);
  std::span<const float> values() const { return values_; }

 private:
  std::vector<float> copy_;
  std::span<const float> values_;
};

// Lets `change(std::span<float>)` work on a buffer's values on the host, and copies the result back.
template <typename Change>
void change_on_host(Buffer& buffer, const Change& change) {
  if (buffer.device().is_host()) return change(buffer.host());
  std::vector<float> values(buffer.size());
  buffer.download(values);
  change(std::span<float>(values));
  buffer.upload(values);
}

// HostMemory holds floats in the host's memory from and to which a device copies fastest.
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
