// What of a gradient leaves when: buckets of values and the rows of lookups, in an order that is the same with all
// workers, whatever each of them has computed and how soon. The plan is made from the order in which gradients become
// ready; in a step, the next of it leaves as soon as all of it is ready.
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

// Either a bucket of values, which begins at a chunk's begin, or the rows of a lookup.
struct Transfer {
  Interval values;
  std::optional<size_t> rows;
};

class BucketPlan {
 public:
  // Buckets of at most `bucket` values, a multiple of kChunk.
  BucketPlan(const GradientOrder& order, size_t bucket);

  // All that leaves in a step. Every value that the order has, once; and others beside them in the same chunk.
  const std::vector<Transfer>& departures() const { return departures_; }

  // A new step: nothing is ready.
  void restart();
  // Values that the order has, in any portions, each once in a step.
  void mark_ready(Interval values);
  void mark_rows_ready(size_t lookup);
  void mark_all_ready();
  // What is to leave now; null if that is not ready, or if nothing is left.
  const Transfer* take_next();

 private:
  void cut(Interval run, size_t bucket);
  bool is_ready(const Transfer& departure) const;

  std::vector<Transfer> departures_;
  std::vector<size_t> values_in_chunk_;  // of each chunk, how many values the order has

  std::vector<size_t> awaited_;  // of these, how many are not ready yet
  std::vector<bool> has_rows_;   // of each lookup
  size_t departed_ = 0;          // how many have left
};

}  // namespace verbund
