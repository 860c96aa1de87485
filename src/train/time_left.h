// How long a run will still take: its steps, and the evaluations and saves between them.
#pragma once

#include <cstdint>

#include "train/run_times.h"

namespace verbund {

struct RunLength {
  int64_t steps = 0;       // of the whole run
  int64_t eval_every = 0;  // 0: only at the end
  int64_t save_every = 0;  // 0: only at the end
  bool evaluates = true;   // there are pairs to evaluate on
};

// How often something that is due every so many steps, and at the end, will still happen after this step.
int64_t times_to_come(int64_t step, int64_t steps, int64_t every);

// By the mean of what was measured so far. What has not happened yet counts nothing: nobody knows.
double seconds_left(const RunLength& run, int64_t step, const RunTimes& times);

}  // namespace verbund
