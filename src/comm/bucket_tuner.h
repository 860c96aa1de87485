// Finds the size of gradient buckets: large ones have less overhead, small ones leave less work
// for after the backward pass. The first steps try a few sizes; the one that makes the workers
// wait least stays. The bits of sums by the hosts do not depend on it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "comm/workers.h"

namespace verbund {

class BucketTuner {
 public:
  // `bucket` values, or 0: to be found. Of a buffer of `size` values.
  BucketTuner(size_t bucket, size_t size);

  size_t bucket() const { return sizes_[current_]; }
  bool is_settled() const { return settled_; }
  // What was found; 0 if nothing was, or nothing had to be.
  size_t found() const { return found_; }
  // What has been found before, in an earlier part of the run.
  void settle(size_t bucket);

  // Tells how long the step waited; all workers together.
  void record(Workers& workers, double seconds_exposed);
  std::string take_report() { return std::exchange(report_, ""); }

 private:
  static constexpr int kTries = 3;  // steps of each size; the best counts

  std::vector<size_t> sizes_;    // to choose from
  std::vector<double> seconds_;  // by size, the best step so far
  size_t current_ = 0;
  int tries_ = 0;
  bool settled_;
  size_t found_ = 0;
  std::string report_;
};

}  // namespace verbund
