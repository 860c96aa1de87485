// Do the workers of a host have a core for each of their threads? mpirun binds each worker to one core unless told
// otherwise, and a training on one core of many is slow without a word. `train` warns of it, `doctor` finds it.
#pragma once

#include <string>
#include <vector>

namespace verbund {

struct ThreadsOnCores {
  int rank = 0;
  int threads = 1;
  std::vector<int> cores;  // the numbers of those it may use
};

struct CoresJudgement {
  bool enough = true;
  std::string text;    // "a: 2 workers with 8 threads together, 8 cores"
  std::string advice;  // if they are not enough
};

CoresJudgement judge_cores(const std::string& host, int machine_cores, const std::vector<ThreadsOnCores>& workers);

}  // namespace verbund
