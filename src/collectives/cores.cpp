#include "collectives/cores.h"

#include <fmt/format.h>

#include <set>

namespace verbund {
namespace {

constexpr const char* kTakeTurns = ": they will take turns";

int count(const std::vector<int>& cores) { return static_cast<int>(cores.size()); }

}  // namespace

CoresJudgement judge_cores(const std::string& host, int machine_cores, const std::vector<ThreadsOnCores>& workers) {
  std::set<int> usable;
  int threads = 0;
  const ThreadsOnCores* bound = nullptr;  // one that has more threads than cores
  bool single = false;                    // one has a single core, as mpirun binds them
  for (const ThreadsOnCores& worker : workers) {
    usable.insert(worker.cores.begin(), worker.cores.end());
    threads += worker.threads;
    if (bound == nullptr && worker.threads > count(worker.cores)) bound = &worker;
    single = single || count(worker.cores) == 1;
  }
  const int together = static_cast<int>(usable.size());
  CoresJudgement judgement;
  judgement.text = fmt::format("{}: {} worker{} with {} thread{} together, {} core{}", host, workers.size(),
                               workers.size() == 1 ? "" : "s", threads, threads == 1 ? "" : "s", machine_cores,
                               machine_cores == 1 ? "" : "s");
  if (together >= machine_cores && threads > machine_cores) {
    judgement.enough = false;
    judgement.text += kTakeTurns;
    judgement.advice = "fewer workers on this host, or threads: 0 in the configuration, which shares the cores";
    return judgement;
  }
  if (bound != nullptr) {
    judgement.text += fmt::format(", of which worker {} may use {} for its {} threads{}", bound->rank,
                                  count(bound->cores), bound->threads, kTakeTurns);
  } else if (together < machine_cores) {
    judgement.text += fmt::format(", of which they may use {}{}", together, threads > together ? kTakeTurns : "");
  }
  // Several cores of many, and enough for the threads, are what a container or a batch system has given.
  judgement.enough = bound == nullptr && threads <= together && (together >= machine_cores || !single);
  if (judgement.enough) return judgement;
  judgement.advice = "did mpirun bind them? Give it --bind-to none; else see taskset -p and the limits of cgroups";
  return judgement;
}

}  // namespace verbund
