// Which buckets of a flat gradient buffer leave when, as a pure function of what has become final so far: the reducer
// sends what this cuts, and a simulated step has the very same buckets.
//
// Values become final in runs that grow from their end to their begin, as the backward pass goes; what lies at the
// begin of the buffer may also be final before the rest. A bucket consists of whole chunks, because a chunk has one
// owner; it leaves as soon as it is full, and what is left of a run leaves when nothing can come before it any more.
#pragma once

#include <vector>

#include "core/interval.h"

namespace verbund {

class BucketCutter {
 public:
  // Of a buffer of `size` values; buckets of `bucket` values, a multiple of kChunk.
  BucketCutter(size_t size, size_t bucket);

  // These values are final now: the buckets that leave, in order.
  std::vector<Interval> ready(Interval values);
  // All values are final: what has not left yet.
  std::vector<Interval> rest();

 private:
  struct Run {
    Interval values;
    bool closed = false;  // what lies before it has left, or there is nothing
  };

  Run joined(Interval values);
  // Cuts from the end; returns where what stays begins to be cut next time.
  size_t cut(Interval values, bool to_the_last, std::vector<Interval>& leaving);

  size_t size_, bucket_;
  std::vector<Run> waiting_;    // final, but not enough for a bucket
  std::vector<Interval> left_;  // all buckets so far
};

}  // namespace verbund
