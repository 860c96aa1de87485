// Saves checkpoints while training goes on: the training thread pays for a copy in memory,
// a thread in the background writes it. At most one save is under way.
#pragma once

#include <future>
#include <vector>

#include "checkpoint/checkpoint_store.h"
#include "checkpoint/staging_area.h"

namespace verbund {

struct SaveReport {
  int64_t step = 0;
  fs::path folder;
  uint64_t bytes = 0;        // of tensors
  double wait_seconds = 0;   // for the save before; the training thread stood still
  double copy_seconds = 0;   // into the staging area; the training thread stood still
  double write_seconds = 0;  // in the background, until everything was on disk
};

// All calls come from one thread. Each of them throws the error of a save that has failed
// in the meantime, once; `start` then has not started.
class AsyncSaver {
 public:
  // Without `asynchronous` in the store's configuration, `start` writes by itself, without a copy.
  explicit AsyncSaver(CheckpointStore& store) : store_(store) {}
  ~AsyncSaver();  // finishes; an error that nobody has seen becomes a warning
  AsyncSaver(const AsyncSaver&) = delete;
  AsyncSaver& operator=(const AsyncSaver&) = delete;

  // Takes the memory for the copies now rather than at the first save.
  void reserve(const CheckpointSnapshot& snapshot);

  // When it returns, the snapshot's tensors may change. Waits for the save before, if that
  // is still under way.
  void start(const CheckpointSnapshot& snapshot);

  // Waits until nothing is under way.
  void finish();

  // The saves that have ended since the last call, for the log. Does not wait.
  std::vector<SaveReport> take_reports();

 private:
  CheckpointStore& store_;
  StagingArea staging_;
  std::future<SaveReport> under_way_;
  std::vector<SaveReport> reports_;
};

}  // namespace verbund
