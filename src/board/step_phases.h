// SPDX-License-Identifier: Apache-2.0
// StepPhases sums the phases of a worker's steps in buckets of equal width. It grows by records and needs bounded
// memory: when there are too many buckets, neighbours are merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "record/step_records.h"

namespace verbund {

struct PhaseBucket {
  int64_t first = 0, last = 0;  // steps
  double began = 0;             // the first of them
  int64_t steps = 0, tokens = 0;
  double seconds = 0, waited = 0, compute = 0, exposed = 0, update = 0;  // sums
  float longest = 0;                                                     // seconds of one step

  void add(const PhaseBucket& later);
};

class StepPhases {
 public:
  explicit StepPhases(size_t max_buckets = 16384) : max_buckets_(max_buckets) {}

  // A step that is computed again undoes it and all later ones.
  void add(std::span<const StepRecord> records);
  void forget() { buckets_.clear(), width_ = 1; }

  const std::vector<PhaseBucket>& buckets() const { return buckets_; }
  int64_t last_step() const { return buckets_.empty() ? 0 : buckets_.back().last; }

  // At most `count` buckets over the steps from `first` to `last`.
  std::vector<PhaseBucket> over(int64_t first, int64_t last, size_t count) const;

 private:
  void add(const StepRecord& record);
  void undo(int64_t from);
  void merge_neighbours();

  size_t max_buckets_;
  int64_t width_ = 1;  // steps of a bucket
  std::vector<PhaseBucket> buckets_;
};

}  // namespace verbund
