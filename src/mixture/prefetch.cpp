// SPDX-License-Identifier: Apache-2.0
#include "mixture/prefetch.h"

#include <chrono>
#include <utility>

namespace verbund {

void WorkerBatch::fill(const BatchPlan& plan, const BatchShare& share, BatchPosition position) {
  const TrainingSet& set = plan.set();
  const std::vector<uint32_t> pairs = plan.batch(position);
  position_ = position;
  global_target_tokens_ = 0;
  global_pairs_.assign(set.corpora().size(), 0);
  for (const uint32_t pair : pairs) {
    global_target_tokens_ += set.target_length(pair) + 1;
    ++global_pairs_[set.corpus_of(pair)];
  }

  const auto slices = slice(pairs, set, share.workers);
  const auto parts = verbund::micro_batches(slices.at(static_cast<size_t>(share.rank)), set, share.micro_batch_tokens);
  used_ = parts.size();
  if (batches_.size() < used_) batches_.resize(used_);
  for (size_t i = 0; i < used_; ++i) verbund::fill(batches_[i], set, parts[i]);

  epoch_batches_ = plan.batches(position.epoch);
  next_ = plan.after(position);
}

void WorkerBatch::fill(Batch batch, uint64_t global_target_tokens) {
  batches_.clear();
  batches_.push_back(std::move(batch));
  used_ = 1;
  global_target_tokens_ = global_target_tokens;
}

Prefetcher::Prefetcher(const BatchPlan& plan, const BatchShare& share, BatchPosition start, size_t ahead)
    : Prefetcher([&plan, share](WorkerBatch& batch, BatchPosition position) { batch.fill(plan, share, position); },
                 start, ahead) {}

Prefetcher::Prefetcher(Fill fill, BatchPosition start, size_t ahead)
    : fill_(std::move(fill)),
      ring_(ahead + 1),  // including the one that the caller holds
      thread_([this, start] { run(start); }) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

const WorkerBatch& Prefetcher::next() {
  std::unique_lock lock(mutex_);
  released_ = taken_;
  changed_.notify_all();
  if (filled_ == taken_) {
    const auto start = std::chrono::steady_clock::now();
    changed_.wait(lock, [&] { return filled_ > taken_ || error_; });
    seconds_waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (filled_ == taken_) std::rethrow_exception(error_);
  }
  return ring_[taken_++ % ring_.size()];
}

void Prefetcher::run(BatchPosition position) {
  std::unique_lock lock(mutex_);
  try {
    while (true) {
      changed_.wait(lock, [&] { return stop_ || filled_ - released_ < ring_.size(); });
      if (stop_) return;
      WorkerBatch& batch = ring_[filled_ % ring_.size()];
      lock.unlock();
      fill_(batch, position);
      position = batch.next();
      lock.lock();
      ++filled_;
      changed_.notify_all();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    error_ = std::current_exception();
    changed_.notify_all();
  }
}

}  // namespace verbund
