// SPDX-License-Identifier: Apache-2.0
// Prefetcher prepares the next batches of a worker in a thread, while the current one is trained on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "data/batch.h"
#include "mixture/batch_plan.h"

namespace verbund {

// The share of a worker in every batch.
struct BatchShare {
  int rank = 0;
  int workers = 1;
  int64_t micro_batch_tokens = 0;  // most tokens of a side computed at once; 0: all
};

// WorkerBatch is the part of one worker in a global batch. A worker without sentences has no micro-batches, and takes
// part in the step with a gradient of zero.
class WorkerBatch {
 public:
  void fill(const BatchPlan& plan, const BatchShare& share, BatchPosition position);
  // Fills it with this batch alone; `global_target_tokens` are those of all workers.
  void fill(Batch batch, uint64_t global_target_tokens);

  std::span<const Batch> micro_batches() const { return {batches_.data(), used_}; }
  BatchPosition position() const { return position_; }
  BatchPosition next() const { return next_; }                                 // position after this one
  size_t epoch_batches() const { return epoch_batches_; }                      // of its epoch
  uint64_t global_target_tokens() const { return global_target_tokens_; }      // of all workers
  const std::vector<uint64_t>& global_pairs() const { return global_pairs_; }  // of each corpus, of all workers

 private:
  std::vector<Batch> batches_;  // the first used_ ones; the others keep their memory
  size_t used_ = 0;
  BatchPosition position_, next_;
  size_t epoch_batches_ = 0;
  uint64_t global_target_tokens_ = 0;
  std::vector<uint64_t> global_pairs_;
};

// Continues from epoch to epoch without end. The thread also builds the plan of the next epoch, while the trainer has
// `ahead` batches left.
class Prefetcher {
 public:
  using Fill = std::function<void(WorkerBatch&, BatchPosition)>;

  static constexpr size_t kAhead = 4;

  // The plan (and its splits) must outlive this.
  Prefetcher(const BatchPlan& plan, const BatchShare& share, BatchPosition start, size_t ahead = kAhead);
  Prefetcher(Fill fill, BatchPosition start, size_t ahead = kAhead);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // The batch at `start`, then each that follows; valid until the next call. Rethrows an error of the thread, after the
  // batches before it.
  const WorkerBatch& next();

  // Total time spent waiting in next() because no batch was ready.
  double seconds_waited() const { return seconds_waited_; }

 private:
  void run(BatchPosition position);

  Fill fill_;
  std::vector<WorkerBatch> ring_;  // batch number i is in place i modulo size
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t filled_ = 0;    // by the thread
  uint64_t released_ = 0;  // by the caller
  bool stop_ = false;
  std::exception_ptr error_;

  uint64_t taken_ = 0;  // used by the caller alone
  double seconds_waited_ = 0;

  std::thread thread_;  // last, so that it starts after all other members are initialised
};

}  // namespace verbund
