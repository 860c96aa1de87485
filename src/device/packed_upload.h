// SPDX-License-Identifier: Apache-2.0
// PackedUpload copies several arrays of the host to a device in one transfer.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "device/workspace.h"

namespace verbund {

class PackedUpload {
 public:
  void clear() { bytes_.clear(); }

  // The offset of the array, for `at`.
  template <typename T>
  size_t add(std::span<const T> values) {
    const size_t offset = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(offset + values.size_bytes());
    if (!values.empty()) std::memcpy(bytes_.data() + offset, values.data(), values.size_bytes());
    return offset;
  }
  template <typename T>
  size_t add(const std::vector<T>& values) {
    return add(std::span<const T>(values));
  }

  // From here on the device can read the arrays, until the workspace is reset.
  void send(Device& device, Workspace& workspace) {
    data_ = workspace.take<char>(static_cast<int64_t>(bytes_.size()));
    device.upload(data_, bytes_.data(), bytes_.size());
  }

  template <typename T>
  const T* at(size_t offset) const {
    return reinterpret_cast<const T*>(data_ + offset);
  }

 private:
  static constexpr size_t kAlignment = 16;
  std::vector<char> bytes_;
  char* data_ = nullptr;
};

}  // namespace verbund
