// A thread that prepares a worker's next batches while the current one is trained on.
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
#include "data/batch_plan.h"

namespace verbund {

// Whose part of every batch is wanted, and in what portions.
struct BatchShare {
  int rank = 0;
  int workers = 1;
  int64_t micro_batch_tokens = 0;  // most tokens of a side computed at once; 0: all
};

// One worker's part of a global batch. A worker without a sentence has no micro-batches,
// and takes part in the step with a gradient of zero.
class WorkerBatch {
 public:
  void fill(const BatchPlan& plan, const BatchShare& share, BatchPosition position);
  // Just this batch, made by hand; all workers together have so many target tokens.
  void fill(Batch batch, uint64_t global_target_tokens);

  std::span<const Batch> micro_batches() const { return {batches_.data(), used_}; }
  BatchPosition position() const { return position_; }
  BatchPosition next() const { return next_; }             // where to go on after this one
  size_t epoch_batches() const { return epoch_batches_; }  // in this one's epoch

  // Of all workers together, known without asking them.
  size_t global_sentences() const { return global_sentences_; }
  uint64_t global_source_tokens() const { return global_source_tokens_; }
  uint64_t global_target_tokens() const { return global_target_tokens_; }

 private:
  std::vector<Batch> batches_;  // the first used_ ones; the others keep their memory
  size_t used_ = 0;
  BatchPosition position_, next_;
  size_t epoch_batches_ = 0;
  size_t global_sentences_ = 0;
  uint64_t global_source_tokens_ = 0, global_target_tokens_ = 0;
};

// Runs on from epoch to epoch without end. The next epoch's plan is made by the thread too,
// while the trainer has `ahead` batches to live on.
class Prefetcher {
 public:
  using Fill = std::function<void(WorkerBatch&, BatchPosition)>;

  static constexpr size_t kAhead = 4;

  // The plan (and its split) must outlive this.
  Prefetcher(const BatchPlan& plan, const BatchShare& share, BatchPosition start, size_t ahead = kAhead);
  Prefetcher(Fill fill, BatchPosition start, size_t ahead = kAhead);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // The batch at `start`, then each that follows; valid until the next call. Throws what the
  // thread failed with, after the batches from before that.
  const WorkerBatch& next();

  // Time spent in next() because no batch was ready, since the beginning.
  double seconds_waited() const { return seconds_waited_; }

 private:
  void run(BatchPosition position);

  Fill fill_;
  std::vector<WorkerBatch> ring_;  // batch number i is in place i modulo size
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t filled_ = 0;    // by the thread
  uint64_t released_ = 0;  // by the caller, who is done with them
  bool stop_ = false;
  std::exception_ptr error_;

  uint64_t taken_ = 0;  // the caller's own
  double seconds_waited_ = 0;

  std::thread thread_;  // last: everything above is there when it starts
};

}  // namespace verbund
