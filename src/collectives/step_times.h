// SPDX-License-Identifier: Apache-2.0
// StepTimes is where the time of one training step went on this worker, with the times of each gradient bucket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace verbund {

// When a gradient bucket was exchanged, in seconds since the step began.
struct BucketTimes {
  double ready = 0;  // the backward pass has finished it
  double begin = 0;  // the communication thread has started it
  double end = 0;
  uint64_t bytes = 0;  // sent by this worker
};

// StepTimes are the seconds of a step, one phase after the other; the rest of `seconds` is bookkeeping.
struct StepTimes {
  double seconds = 0;   // the whole step
  double waited = 0;    // for data
  double compute = 0;   // forward and backward, until the last gradient could be exchanged
  double exposed = 0;   // waiting for the exchange of gradients, losses and weights
  double update = 0;    // norm, clipping, optimiser, average
  double exchange = 0;  // the communication thread was busy, hidden or exposed
  uint64_t bytes = 0;   // sent
  double backward = 0;  // when the backward pass began, since the step did
  bool tuning = false;  // the bucket size is still being tuned
  std::vector<BucketTimes> buckets;
};

// The share of an exchange that the computation does not wait for.
inline double hidden_share(double exchange, double exposed) {
  return exchange > 0 ? 1 - std::min(1.0, exposed / exchange) : 0;
}

}  // namespace verbund
