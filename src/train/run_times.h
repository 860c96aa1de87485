// SPDX-License-Identifier: Apache-2.0
// RunTimes is the wall time of a run by activity; seconds_left estimates the rest.
#pragma once

#include <cstdint>

namespace verbund {

struct Spent {
  double seconds = 0;
  int64_t times = 0;

  double mean() const { return times > 0 ? seconds / static_cast<double>(times) : 0; }
};

// Since the process started, without earlier parts of the run.
struct RunTimes {
  double starting = 0;    // until the first step
  Spent steps;            // waiting for data included
  double waiting = 0;     // for data
  double first_look = 0;  // the evaluation before the first step, of the loss only
  Spent evaluations;      // all others
  Spent saves;            // only the time in which training waited for them
};

struct RunLength {
  int64_t steps = 0;       // of the whole run
  int64_t eval_every = 0;  // 0: only at the end
  int64_t save_every = 0;  // 0: only at the end
  bool evaluates = true;   // there are dev pairs
};

// The number of times that something due every `every` steps, and at the end, will still happen after this step.
int64_t times_to_come(int64_t step, int64_t steps, int64_t every);

// Estimated from the means so far. Activities that were never measured count nothing.
double seconds_left(const RunLength& run, int64_t step, const RunTimes& times);

}  // namespace verbund
