// Some thousand steps, evenly spread over a run, with what the questions about step time and traffic ask of each.
#pragma once

#include <vector>

#include "report/run_data.h"

namespace verbund {

struct StepSample {
  std::vector<double> step, seconds;                 // of worker 0
  std::vector<double> tokens;                        // of all workers
  std::vector<double> slowest;                       // seconds until the slowest worker could exchange
  std::vector<double> exchange;                      // seconds that worker 0 waited after that
  std::vector<double> bytes;                         // sent by worker 0
  std::vector<std::vector<double>> before_exchange;  // by rank of run.ranks: data and computing, seconds
  size_t all_steps = 0;                              // of which these were taken
};

// Steps in which the size of buckets was still being tried are left out, and those that not all workers have on record.
StepSample sample_steps(const RunData& run, size_t most = 20000);

// The worker that needs longer than the others before it can exchange, if one needs 10 % longer than their median.
struct SlowWorker {
  int rank = 0;
  double factor = 1;  // its median over that of the others
};
std::optional<SlowWorker> find_slow_worker(const RunData& run, const StepSample& sample);

}  // namespace verbund
