// SPDX-License-Identifier: Apache-2.0
// BatchPlan assigns training pairs to batches. The batches of an epoch depend only on (training set, draws, config,
// seed, epoch), not on the number of workers, so a position in the data is two integers, and resuming is a seek.
// Workers share a batch in slices of equal work.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "config/batch_config.h"
#include "mixture/pair_draws.h"

namespace verbund {

struct BatchPosition {
  uint64_t epoch = 0;
  uint64_t batch = 0;

  bool operator==(const BatchPosition&) const = default;
};

// The pairs of an epoch come in a random order (PairDraws). The order is cut into windows; each window is sorted by
// length (target, then source, then as drawn), ascending in one and descending in the next, so that neighbours across a
// border are similar. The result is cut into batches that fit the budget on both sides, and the batches are shuffled. A
// pair that exceeds the budget is a batch of its own: only max_length drops pairs. Where corpora are drawn in rounds, a
// batch keeps to its window, which has as many pairs as fill its batches, so that what was drawn is known at its end.
//
// Thread-safe. One even and one odd epoch are kept, so that the current one is still available when the next is built:
// 8 bytes per pair.
class BatchPlan {
 public:
  BatchPlan(TrainingSet set, const BatchConfig& config, uint64_t seed, EpochDraws draws = {});

  const TrainingSet& set() const { return draws_.set(); }
  size_t pairs() const { return set().size() - dropped_pairs_; }  // short enough to train on
  size_t dropped_pairs() const { return dropped_pairs_; }         // longer than max_length

  // May differ a little from epoch to epoch.
  size_t batches(uint64_t epoch) const;
  // The pairs of a batch; a copy, because another thread may move the plan to other epochs.
  std::vector<uint32_t> batch(BatchPosition position) const;
  // The position after it: the next batch, or the first one of the next epoch.
  BatchPosition after(BatchPosition position) const;
  // The pairs of each corpus that are drawn by the batches before this one, and by the others of their windows.
  std::vector<uint64_t> drawn(BatchPosition position) const;

 private:
  struct Epoch {
    uint64_t number = UINT64_MAX;  // none yet
    std::vector<uint32_t> pairs;   // a batch is a range of it
    std::vector<uint32_t> begins;  // [batches + 1], the starts of the ranges, and the end
    std::vector<uint32_t> order;   // [batches], the range of each batch
    std::vector<size_t> groups;    // the ends, in `order`, of batches that are shuffled together
  };

  const Epoch& epoch(uint64_t number) const;  // under mutex_
  void build(Epoch& epoch, uint64_t number) const;
  std::vector<size_t> sort_windows(std::vector<uint32_t>& pairs) const;  // returns the ends of the windows
  size_t batch_at(PairIds pairs) const;
  size_t beyond_batches(PairIds window) const;
  void group(Epoch& epoch, const std::vector<size_t>& windows) const;

  PairDraws draws_;
  BatchConfig config_;
  uint64_t seed_;
  size_t dropped_pairs_ = 0;
  mutable std::mutex mutex_;
  mutable std::array<Epoch, 2> epochs_;  // by even and odd number
};

// The work for a pair, in source tokens. A target token passes one more attention and the output layer: about twice the
// work (1.8 times in Transformer-base with 32,768 pieces, more in smaller models).
inline uint64_t pair_cost(const TrainingSet& set, size_t pair) {
  return set.source_length(pair) + 1 + 2 * (uint64_t{set.target_length(pair)} + 1);
}

// The pairs of each worker, the longest first. The costs of any two slices differ by at most that of one pair; with
// fewer pairs than workers some slices are empty.
std::vector<std::vector<uint32_t>> slice(PairIds batch, const TrainingSet& set, int workers);

// Parts of a slice, in order, that fit a limit of tokens on both sides, like a batch; 0: no limit. They are views of
// `slice`; an empty slice has none.
std::vector<PairIds> micro_batches(PairIds slice, const TrainingSet& set, int64_t token_limit);

}  // namespace verbund
