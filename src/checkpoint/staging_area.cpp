#include "checkpoint/staging_area.h"

#include <cstring>
#include <new>

#include "core/error.h"
#include "core/human.h"

namespace verbund {

void StagingArea::reserve(const CheckpointSnapshot& snapshot) {
  const uint64_t needed = snapshot.tensor_bytes();
  if (needed <= capacity_) return;
  memory_.reset();  // the old area first, so that both are never there together
  capacity_ = 0;
  try {
    memory_ = std::make_unique<std::byte[]>(needed);  // zeroed, and thereby touched
  } catch (const std::bad_alloc&) {
    fail(
        "there is no memory for a copy of the checkpoint ({}). Set checkpoint.asynchronous to false: it is "
        "then "
        "written without a copy, while training waits.",
        human_bytes(needed));
  }
  capacity_ = needed;
}

CheckpointSnapshot StagingArea::copy(const CheckpointSnapshot& snapshot) {
  reserve(snapshot);
  CheckpointSnapshot staged = snapshot;
  std::byte* next = memory_.get();
  for (auto* part : {&staged.weights, &staged.optimizer, &staged.average, &staged.exchange}) {
    for (TensorView& tensor : *part) {
      const size_t size = tensor.bytes.size();
      if (size > 0) std::memcpy(next, tensor.bytes.data(), size);
      tensor.bytes = {next, size};
      next += size;
    }
  }
  return staged;
}

}  // namespace verbund
