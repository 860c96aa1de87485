// SPDX-License-Identifier: Apache-2.0
// BucketPlan is the order in which gradient buckets are sent: buckets of values and the rows of lookups, in the same
// order on all workers, whatever each of them has computed and how fast. The plan follows the order in which gradients
// become ready; in a step, the next transfer starts as soon as all of it is ready.
//
//   BucketPlan plan(order, bucket);
//   plan.mark_ready({begin, end});
//   while (const Transfer* next = plan.take_next()) send(*next);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/gradient_order.h"

namespace verbund {

// Either a bucket of values, which starts at the start of a chunk, or the rows of a lookup.
struct Transfer {
  Interval values;
  std::optional<size_t> rows;
};

class BucketPlan {
 public:
  // Buckets of at most `bucket` values, a multiple of kChunk. Each value of the order is sent once in a step, with
  // other values of the same chunk.
  BucketPlan(const GradientOrder& order, size_t bucket);

  // Starts a new step: nothing is ready.
  void restart();
  // Values of the order, in any portions, each once in a step.
  void mark_ready(Interval values);
  void mark_rows_ready(size_t lookup);
  void mark_all_ready();
  // The next transfer; null if it is not ready, or if none is left.
  const Transfer* take_next();

 private:
  void cut(Interval run, size_t bucket);
  bool is_ready(const Transfer& transfer) const;

  std::vector<Transfer> transfers_;
  std::vector<size_t> values_in_chunk_;  // values of the order in each chunk

  std::vector<size_t> awaited_;  // of these, the values that are not ready yet
  std::vector<bool> has_rows_;   // of each lookup
  size_t taken_ = 0;             // transfers that have been taken
};

}  // namespace verbund
