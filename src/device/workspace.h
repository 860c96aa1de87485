// SPDX-License-Identifier: Apache-2.0
// Workspace is a device's memory for the activations of a step: allocated by moving a pointer, freed all at once. It
// grows until it has the size that a step needs; after that nothing is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/device.h"

namespace verbund {

class Workspace {
 public:
  explicit Workspace(Device& device) : device_(device) {}
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  template <typename T = float>
  T* take(int64_t count) {
    return static_cast<T*>(take_bytes(static_cast<size_t>(count) * sizeof(T)));
  }

  TypedFloats take(int64_t count, FloatType type) {
    return {take_bytes(static_cast<size_t>(count * size_of(type))), type};
  }
  // Memory in the compute dtype, for what only GEMMs read.
  TypedFloats take_operand(int64_t count) { return take(count, device_.compute_dtype()); }

  // Frees everything. If it did not fit into one block, the next step gets a block that is large enough.
  void reset();

  uint64_t bytes() const;

  // Temporary frees at its end what was taken while it lived.
  class Temporary {
   public:
    explicit Temporary(Workspace& workspace)
        : workspace_(workspace), blocks_(workspace.blocks_.size()), used_(workspace.used_) {}
    ~Temporary() {
      if (workspace_.blocks_.size() == blocks_) workspace_.used_ = used_;  // else it has grown: wait for the reset
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

   private:
    Workspace& workspace_;
    size_t blocks_, used_;
  };

 private:
  struct Block {
    char* data;
    size_t size;
  };
  void* take_bytes(size_t bytes);
  void grow(size_t bytes);

  Device& device_;
  std::vector<Block> blocks_;  // the last one is in use
  size_t used_ = 0;            // of the last block
  size_t before_ = 0;          // bytes used of the earlier blocks
};

}  // namespace verbund
