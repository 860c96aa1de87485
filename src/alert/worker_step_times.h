// SPDX-License-Identifier: Apache-2.0
// WorkerStepTime is the time that a worker needs before the exchange of gradients, over its last steps: the slowest one
// is the straggler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace verbund {

struct WorkerStepTime {
  int rank = 0;
  double waited = 0, compute = 0;  // seconds per step before the exchange
  std::string name;                // "worker 2 on alpha"

  double before_exchange() const { return waited + compute; }
};

// Reads the ends of the step records, at most kRecentSteps of each worker: cheap, however long the run is. Empty if a
// worker has too few steps since this start of the run to be judged.
constexpr size_t kRecentSteps = 200, kFewestSteps = 20;
std::vector<WorkerStepTime> read_worker_step_times(const std::filesystem::path& run, int workers, uint32_t start,
                                                   const std::function<std::string(int rank)>& name);

// The slowest worker, if it needs at least 15 % and 1 ms more than the median one; -1: none.
int find_straggler(const std::vector<WorkerStepTime>& workers);

// The sentence about it, with its cause.
std::string straggler_text(const std::vector<WorkerStepTime>& workers, int slowest);

}  // namespace verbund
