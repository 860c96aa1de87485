// When a bucket of gradients was on its way.
#pragma once

#include <cstdint>

namespace verbund {

// In seconds since the step began.
struct BucketTimes {
  double ready = 0;  // the backward pass has finished it
  double begin = 0;  // the thread of communication took it
  double end = 0;
  uint64_t bytes = 0;  // sent by this worker
};

}  // namespace verbund
