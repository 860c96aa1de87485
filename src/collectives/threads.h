// SPDX-License-Identifier: Apache-2.0
// use_threads sets the number of threads of a worker's kernels and GEMMs, one pool for both; judge_cores
// tells whether the workers of a host have a core for each of their threads. mpirun binds each worker to one core
// unless told otherwise, which makes training slow without a message: `train` warns of it, and `doctor` finds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/workers.h"

namespace verbund {

// 0: all cores. Returns the number of threads.
int use_threads(int64_t threads);
// 0: a fair share of the host for each of its workers.
int use_threads(const Workers& workers, int64_t threads);

struct ThreadsOnCores {
  int rank = 0;
  int threads = 1;
  std::vector<int> cores;  // the numbers of the cores that it may use
};

struct CoresJudgement {
  bool enough = true;
  std::string text;    // "a: 2 workers with 8 threads together, 8 cores"
  std::string advice;  // if they are not enough
};

CoresJudgement judge_cores(const std::string& host, int machine_cores, const std::vector<ThreadsOnCores>& workers);

}  // namespace verbund
