// SPDX-License-Identifier: Apache-2.0
#include "device/buffer_pool.h"

#include <algorithm>

namespace verbund {

std::shared_ptr<const Buffer> BufferPool::take_bytes(size_t bytes) {
  const size_t size = (bytes + sizeof(float) - 1) / sizeof(float);
  const auto is_free = [](const std::shared_ptr<const Buffer>& buffer) { return buffer.use_count() == 1; };
  std::shared_ptr<const Buffer> smallest;
  for (const auto& buffer : buffers_) {
    if (!is_free(buffer) || buffer->size() < size) continue;
    if (!smallest || buffer->size() < smallest->size()) smallest = buffer;
  }
  if (smallest) return smallest;
  // All that are free are too small, now and probably later.
  std::erase_if(buffers_, is_free);
  buffers_.push_back(std::make_shared<const Buffer>(device_, size, purpose_));
  return buffers_.back();
}

}  // namespace verbund
