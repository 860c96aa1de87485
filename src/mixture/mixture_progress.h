// SPDX-License-Identifier: Apache-2.0
// MixtureProgress is the position of a run in its mixture: the stage, the step at which it began, and the pairs seen of
// each corpus. It is part of every checkpoint, and the same on all workers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "mixture/batch_plan.h"
#include "mixture/mixture.h"

namespace verbund {

using PairCounts = std::vector<uint64_t>;  // of each corpus

class MixtureProgress {
 public:
  MixtureProgress() : set_(std::vector<TrainingCorpus>()), stages_(1), seen_(1) {}  // of no corpora
  MixtureProgress(const TrainingSet& set, int64_t max_length, const MixtureConfig& config);

  const TrainingSet& set() const { return set_; }
  const PairCounts& usable() const { return usable_; }  // pairs that are not too long
  const std::vector<MixtureStage>& stages() const { return stages_; }
  size_t stage() const { return stage_; }
  int64_t first_step() const { return first_step_; }  // steps done when the stage began
  const MixtureStage& current() const { return stages_[stage_]; }
  const std::string& description() const { return description_; }  // of all stages

  // The pairs that the plan of the current stage draws.
  EpochDraws draws() const { return {current().draws, before_, first_epoch_}; }

  // A batch was trained on.
  void see(const PairCounts& pairs);
  // The dev pairs were evaluated: the value of the metric of `until`. Changes up to `least` do not count.
  void evaluated(double value, bool less_is_better, double least);

  bool is_stage_over(int64_t steps_done) const;
  bool is_over(int64_t steps_done) const { return stage_ + 1 == stages_.size() && is_stage_over(steps_done); }
  // The next stage begins with this epoch, after `drawn` pairs; the part `skipped` of the epoch before was not drawn.
  void enter_next(int64_t steps_done, uint64_t epoch, PairCounts drawn, double skipped = 0);
  // Epochs are numbered across stages, whole or not. This is what all stages before have skipped of theirs.
  double skipped_epochs() const { return skipped_; }

  // Pairs seen in a stage, and in all; empty: not known, because a checkpoint of an older version does not say.
  PairCounts seen(size_t stage) const { return is_counted_ ? seen_[stage] : PairCounts(); }
  PairCounts seen() const;

  // `drawn`: pairs drawn so far.
  Json state(const PairCounts& drawn) const;
  // Returns the position to go on from: the saved one, or, if the mixture has changed, the beginning of an epoch. Each
  // corpus then goes on where it was.
  BatchPosition restore(const Json& state, BatchPosition saved);

 private:
  Json named(const PairCounts& counts) const;
  PairCounts counts(const Json& named) const;

  TrainingSet set_;
  PairCounts usable_;
  std::vector<MixtureStage> stages_;
  std::string description_;

  size_t stage_ = 0;
  int64_t first_step_ = 0;
  uint64_t first_epoch_ = 0;
  double skipped_ = 0;
  PairCounts before_;  // drawn before the stage
  std::vector<PairCounts> seen_;
  bool is_counted_ = true;
  double best_ = 0;             // of this stage
  int64_t evaluations_ = 0;     // of this stage
  int64_t without_change_ = 0;  // evaluations since the best
};

// "europarl: 1.42 epochs (70.1 % of the pairs)" of each corpus that was seen.
std::string describe_seen(const MixtureProgress& progress, const PairCounts& seen);

}  // namespace verbund
