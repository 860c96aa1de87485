// SPDX-License-Identifier: Apache-2.0
// BufferPool allocates buffers in a device's memory, and reuses those that are no longer held.
#pragma once

#include <memory>
#include <vector>

#include "device/buffer.h"

namespace verbund {

class BufferPool {
 public:
  BufferPool(Device& device, const char* purpose) : device_(device), purpose_(purpose) {}

  // A buffer of at least this size, with any content; it is free again when the last copy of the pointer is gone.
  std::shared_ptr<const Buffer> take_bytes(size_t bytes);

 private:
  Device& device_;
  const char* purpose_;
  std::vector<std::shared_ptr<const Buffer>> buffers_;
};

}  // namespace verbund
