// SPDX-License-Identifier: Apache-2.0
#include "collectives/threads.h"

#include <fmt/format.h>
#include <omp.h>

#include <set>

#include "core/log.h"
#include "core/pipeline.h"

namespace verbund {
namespace {

constexpr const char* kTakeTurns = ": they will take turns";

int size_of(const std::vector<int>& cores) { return static_cast<int>(cores.size()); }

}  // namespace

CoresJudgement judge_cores(const std::string& host, int machine_cores, const std::vector<ThreadsOnCores>& workers) {
  std::set<int> usable;
  int threads = 0;
  const ThreadsOnCores* bound = nullptr;  // the first one with more threads than cores
  bool single = false;                    // a worker has a single core, as mpirun binds them
  for (const ThreadsOnCores& worker : workers) {
    usable.insert(worker.cores.begin(), worker.cores.end());
    threads += worker.threads;
    if (bound == nullptr && worker.threads > size_of(worker.cores)) bound = &worker;
    single = single || size_of(worker.cores) == 1;
  }
  const int together = static_cast<int>(usable.size());
  CoresJudgement judgement;
  judgement.text = fmt::format("{}: {} worker{} with {} thread{} together, {} core{}", host, workers.size(),
                               workers.size() == 1 ? "" : "s", threads, threads == 1 ? "" : "s", machine_cores,
                               machine_cores == 1 ? "" : "s");
  if (together >= machine_cores && threads > machine_cores) {
    judgement.enough = false;
    judgement.text += kTakeTurns;
    judgement.advice = "use fewer workers on this host, or threads: 0 in the configuration, which shares the cores";
    return judgement;
  }
  if (bound != nullptr) {
    judgement.text += fmt::format(", of which worker {} may use {} for its {} threads{}", bound->rank,
                                  size_of(bound->cores), bound->threads, kTakeTurns);
  } else if (together < machine_cores) {
    judgement.text += fmt::format(", of which they may use {}{}", together, threads > together ? kTakeTurns : "");
  }
  // Some cores of many that suffice for the threads were assigned by a container or a batch system.
  judgement.enough = bound == nullptr && threads <= together && (together >= machine_cores || !single);
  if (judgement.enough) return judgement;
  judgement.advice =
      "if mpirun has bound them, use --bind-to none; otherwise check taskset -p and the limits of cgroups";
  return judgement;
}

int use_threads(int64_t threads) {
  const int count = thread_count(threads);
  debug("threads: {}, {}", count, threads > 0 ? "as set" : "one for each core that this process may use");
  omp_set_num_threads(count);
  return count;
}

int use_threads(const Workers& workers, int64_t threads) {
  return use_threads(threads > 0 ? threads : workers.self().fair_threads());
}

}  // namespace verbund
