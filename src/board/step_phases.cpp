// SPDX-License-Identifier: Apache-2.0
#include "board/step_phases.h"

#include <algorithm>

namespace verbund {

void PhaseBucket::add(const PhaseBucket& later) {
  last = later.last;
  steps += later.steps;
  tokens += later.tokens;
  seconds += later.seconds;
  waited += later.waited;
  compute += later.compute;
  exposed += later.exposed;
  update += later.update;
  longest = std::max(longest, later.longest);
}

void StepPhases::add(std::span<const StepRecord> records) {
  for (const StepRecord& record : records) add(record);
}

void StepPhases::add(const StepRecord& record) {
  undo(record.step);
  const PhaseBucket one = {record.step,    record.step,    record.began,  1,
                           record.tokens,  record.seconds, record.waited, record.compute,
                           record.exposed, record.update,  record.seconds};
  if (!buckets_.empty() && (record.step - 1) / width_ == (buckets_.back().first - 1) / width_) {
    buckets_.back().add(one);
  } else {
    if (buckets_.size() == max_buckets_) merge_neighbours();
    buckets_.push_back(one);
  }
}

void StepPhases::undo(int64_t from) {
  while (!buckets_.empty() && buckets_.back().first >= from) buckets_.pop_back();
  if (buckets_.empty() || buckets_.back().last < from) return;
  // The sums of the bucket in which the undone part begins stay as they are, in proportion.
  PhaseBucket& cut = buckets_.back();
  const double share = static_cast<double>(from - cut.first) / static_cast<double>(cut.last + 1 - cut.first);
  cut.last = from - 1;
  cut.steps = std::max<int64_t>(1, static_cast<int64_t>(share * static_cast<double>(cut.steps)));
  cut.tokens = static_cast<int64_t>(share * static_cast<double>(cut.tokens));
  for (double* sum : {&cut.seconds, &cut.waited, &cut.compute, &cut.exposed, &cut.update}) *sum *= share;
}

void StepPhases::merge_neighbours() {
  width_ *= 2;
  std::vector<PhaseBucket> merged;
  for (const PhaseBucket& bucket : buckets_) {
    if (!merged.empty() && (merged.back().first - 1) / width_ == (bucket.first - 1) / width_) {
      merged.back().add(bucket);
    } else {
      merged.push_back(bucket);
    }
  }
  buckets_ = std::move(merged);
}

std::vector<PhaseBucket> StepPhases::over(int64_t first, int64_t last, size_t count) const {
  const auto begin = std::lower_bound(buckets_.begin(), buckets_.end(), first,
                                      [](const PhaseBucket& bucket, int64_t step) { return bucket.last < step; });
  const auto end = std::upper_bound(begin, buckets_.end(), last,
                                    [](int64_t step, const PhaseBucket& bucket) { return step < bucket.first; });
  const auto found = static_cast<size_t>(end - begin);
  const size_t each = std::max<size_t>(1, (found + count - 1) / std::max<size_t>(1, count));
  std::vector<PhaseBucket> result;
  for (size_t i = 0; i < found; ++i) {
    if (i % each == 0) {
      result.push_back(begin[static_cast<std::ptrdiff_t>(i)]);
    } else {
      result.back().add(begin[static_cast<std::ptrdiff_t>(i)]);
    }
  }
  return result;
}

}  // namespace verbund
