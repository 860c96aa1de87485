// Which pairs make up which batch. The batches of an epoch are a pure function of (split,
// config, seed, epoch), whatever the number of workers, so a place in the data is two
// integers and resuming is a seek. Workers share a batch in slices of equal work.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "config/batch_config.h"
#include "data/dataset.h"

namespace verbund {

using PairNumbers = std::span<const uint32_t>;

struct BatchPosition {
  uint64_t epoch = 0;
  uint64_t batch = 0;

  bool operator==(const BatchPosition&) const = default;
};

// The pairs that are short enough, in a uniformly random order that is new in every epoch.
// The order is cut into windows; each window is sorted by length (target, then source, then
// as drawn), up in one and down in the next, so that neighbours stay alike across their
// border. This is cut into batches that fit the budget on both sides, and the batches are
// shuffled. A pair that exceeds the budget alone is a batch of its own: only max_length drops.
//
// Several threads may ask. One even and one odd epoch are kept, so that the current one is
// still there when the next is made: 8 bytes a pair.
class BatchPlan {
 public:
  BatchPlan(const Split& split, const BatchConfig& config, uint64_t seed);

  const Split& split() const { return split_; }
  size_t pairs() const { return split_.size() - dropped_pairs_; }  // of an epoch
  size_t dropped_pairs() const { return dropped_pairs_; }          // longer than max_length

  // May differ a little from epoch to epoch.
  size_t batches(uint64_t epoch) const;
  // The pairs of a batch; a copy, for another thread may move the plan on to other epochs.
  std::vector<uint32_t> batch(BatchPosition position) const;
  // What comes after it: the next batch, or the first one of the next epoch.
  BatchPosition after(BatchPosition position) const;

 private:
  struct Epoch {
    uint64_t number = UINT64_MAX;  // none yet
    std::vector<uint32_t> pairs;   // a batch is a piece of it
    std::vector<uint32_t> begins;  // [batches + 1], where the pieces begin and the end
    std::vector<uint32_t> order;   // [batches], which piece is the batch of that index
  };

  bool keeps(size_t pair) const;
  const Epoch& epoch(uint64_t number) const;  // under mutex_
  void build(Epoch& epoch, uint64_t number) const;
  void sort_windows(std::vector<uint32_t>& pairs) const;

  const Split& split_;
  BatchConfig config_;
  uint64_t seed_;
  size_t dropped_pairs_ = 0;
  mutable std::mutex mutex_;
  mutable std::array<Epoch, 2> epochs_;  // by even and odd number
};

// What a pair costs a worker, in source tokens. A target token goes through one more
// attention and the output layer: about twice the work (1.8 times in Transformer-base with
// 32,768 pieces, more in smaller models).
inline uint64_t pair_cost(const Split& split, size_t pair) {
  return split.source_length(pair) + 1 + 2 * (uint64_t{split.target_length(pair)} + 1);
}

// Each worker's pairs of a batch, the longest first. The costs of any two slices differ by
// at most that of one pair; with fewer pairs than workers some slices are empty.
std::vector<std::vector<uint32_t>> slice(PairNumbers batch, const Split& split, int workers);

// Pieces of a slice, in order, that fit a limit of tokens on both sides, as a batch does; 0: no
// limit. They are views of `slice`; an empty slice has none.
std::vector<PairNumbers> micro_batches(PairNumbers slice, const Split& split, int64_t token_limit);

}  // namespace verbund
