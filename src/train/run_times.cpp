// SPDX-License-Identifier: Apache-2.0
#include "train/run_times.h"

namespace verbund {

int64_t times_to_come(int64_t step, int64_t steps, int64_t every) {
  if (step >= steps) return 0;
  if (every <= 0) return 1;
  const int64_t on_the_way = steps / every - step / every;
  return on_the_way + (steps % every == 0 ? 0 : 1);
}

double seconds_left(const RunLength& run, int64_t step, const RunTimes& times) {
  if (step >= run.steps) return 0;
  double seconds = static_cast<double>(run.steps - step) * times.steps.mean();
  if (run.evaluates) {
    seconds += static_cast<double>(times_to_come(step, run.steps, run.eval_every)) * times.evaluations.mean();
  }
  return seconds + static_cast<double>(times_to_come(step, run.steps, run.save_every)) * times.saves.mean();
}

}  // namespace verbund
