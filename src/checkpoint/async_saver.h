// SPDX-License-Identifier: Apache-2.0
// AsyncSaver saves checkpoints while training continues: the training thread pays for a copy in memory, and a
// background thread writes it. At most one save is in progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>

#include "checkpoint/checkpoint_store.h"

namespace verbund {

// Memory for one copy of a snapshot, allocated once and reused, so that training can change its tensors while the copy
// is written.
class StagingArea {
 public:
  // The snapshot's tensors in this area; they are valid until the next copy.
  CheckpointSnapshot copy(const CheckpointSnapshot& snapshot);

  uint64_t capacity() const { return capacity_; }

 private:
  void reserve(const CheckpointSnapshot& snapshot);

  std::unique_ptr<std::byte[]> memory_;
  uint64_t capacity_ = 0;
};

// All calls come from one thread. Each of them throws the error of a save that has failed in the meantime, once;
// `start` then has not started.
class AsyncSaver {
 public:
  // Without `asynchronous` in the store's configuration, `start` writes by itself, without a copy.
  explicit AsyncSaver(CheckpointStore& store) : store_(store) {}
  ~AsyncSaver();  // finishes; an error that was not thrown yet becomes a warning
  AsyncSaver(const AsyncSaver&) = delete;
  AsyncSaver& operator=(const AsyncSaver&) = delete;

  // The snapshot's tensors may change when it returns. Waits for the save before, if that is still in progress.
  void start(const CheckpointSnapshot& snapshot);

  // Throws the error of a save that has failed, without waiting for one that is in progress.
  void check();

  // Waits until no save is in progress.
  void finish();

 private:
  CheckpointStore& store_;
  StagingArea staging_;
  std::future<void> in_progress_;
};

}  // namespace verbund
