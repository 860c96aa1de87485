// SPDX-License-Identifier: Apache-2.0
// PairDraws is the sampler: it says which pairs an epoch has, in the order in which they are drawn. It is a pure
// function of (training set, draws, seed, epoch).
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "mixture/training_set.h"

namespace verbund {

// The pairs that are drawn of each corpus. Without numbers, an epoch has every pair once.
struct EpochDraws {
  std::vector<uint64_t> pairs;   // of each corpus, in every epoch
  std::vector<uint64_t> before;  // of each corpus, drawn before the epoch `first`; none: nothing
  uint64_t first = 0;
};

// With numbers, each corpus is drawn in rounds: a round is a random order of all its pairs, and when it is used up, in
// whatever epoch, the next one begins. The corpora of an epoch follow one another in random order, pair by pair. So no
// pair is drawn again before all others of its corpus. (BatchPlan sorts what is drawn, within windows.) How corpora are
// cut into epochs does not change the rounds, nor do other corpora.
class PairDraws {
 public:
  PairDraws(TrainingSet set, EpochDraws draws, int64_t max_length, bool shuffled, uint64_t seed);

  const TrainingSet& set() const { return set_; }
  bool in_rounds() const { return !draws_.pairs.empty(); }
  const std::vector<uint64_t>& usable() const { return usable_; }  // pairs of each corpus that are short enough

  // The pairs of an epoch; `random` is that of the epoch.
  std::vector<uint32_t> draw(uint64_t epoch, Random& random) const;
  // The pairs of each corpus that are drawn before an epoch.
  std::vector<uint64_t> before(uint64_t epoch) const;

 private:
  void draw_all(size_t corpus, std::vector<uint32_t>& pairs) const;
  void draw_rounds(size_t corpus, uint64_t begin, uint64_t count, std::vector<uint32_t>& pairs) const;

  TrainingSet set_;
  EpochDraws draws_;
  int64_t max_length_;
  bool shuffled_;
  uint64_t seed_;
  std::vector<uint64_t> usable_;
};

}  // namespace verbund
