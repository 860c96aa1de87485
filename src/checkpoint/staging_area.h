// Memory for one copy of a snapshot, allocated once and used again and again, so that
// training can change its tensors while the copy is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "checkpoint/checkpoint_format.h"

namespace verbund {

class StagingArea {
 public:
  // Takes the memory for snapshots like this one now and touches it, so that the first
  // copy is as quick as all others.
  void reserve(const CheckpointSnapshot& snapshot);

  // The snapshot's tensors in this area; they hold until the next copy.
  CheckpointSnapshot copy(const CheckpointSnapshot& snapshot);

  uint64_t capacity() const { return capacity_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  uint64_t capacity_ = 0;
};

}  // namespace verbund
