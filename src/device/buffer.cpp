// SPDX-License-Identifier: Apache-2.0
#include "device/buffer.h"

#include <utility>

#include "core/error.h"

namespace verbund {

Buffer::Buffer(Device& device, size_t size, const char* purpose)
    : device_(&device), size_(size), data_(static_cast<float*>(device.allocate(size * sizeof(float), purpose))) {}

Buffer::~Buffer() {
  if (data_ != nullptr) device_->release(data_, size_ * sizeof(float));
}

Buffer::Buffer(Buffer&& other) noexcept
    : device_(other.device_), size_(std::exchange(other.size_, 0)), data_(std::exchange(other.data_, nullptr)) {}

std::span<float> Buffer::host() const {
  if (!device_->is_host()) fail("values in the memory of {} cannot be reached by the host", device_->facts().name);
  return {data_, size_};
}

void Buffer::upload(std::span<const float> values) {
  if (values.size() != size_) fail("a buffer has {} values but got {}", size_, values.size());
  device_->upload(data_, values.data(), size_ * sizeof(float));
}

void Buffer::download(std::span<float> values) const {
  if (values.size() != size_) fail("a buffer has {} values, but there is room for {}", size_, values.size());
  device_->download(values.data(), data_, size_ * sizeof(float));
}

void Buffer::zero() { device_->zero(data_, size_ * sizeof(float)); }

HostCopy::HostCopy(const Buffer& buffer) {
  if (buffer.device().is_host()) {
    values_ = buffer.host();
    return;
  }
  copy_.resize(buffer.size());
  buffer.download(copy_);
  values_ = copy_;
}

}  // namespace verbund
