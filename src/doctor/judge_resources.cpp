// SPDX-License-Identifier: Apache-2.0
// Resource checks: cores, load, memory and disk of each host against the needs of its workers.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "collectives/threads.h"
#include "core/human.h"
#include "doctor/facts.h"
#include "doctor/judge.h"
#include "launch/host_list.h"
#include "resources/other_load.h"

namespace verbund {
namespace {

constexpr uint64_t kTemporaryBytes = 100000000;  // for mpirun's files and shared memory

ModelNeeds needs_of(const Facts& facts) {
  for (const WorkerFacts& worker : facts.workers) {
    if (worker.needs.known()) return worker.needs;
  }
  return {};
}

Finding judge_cores_of(const HostWorkers& host) {
  std::vector<ThreadsOnCores> workers;
  for (const WorkerFacts* worker : host.second) workers.push_back({worker->rank, worker->threads, worker->cores});
  const CoresJudgement judgement = judge_cores(host.first, host.second.front()->machine_cores, workers);
  return {judgement.enough ? Health::kOk : Health::kWarning, "cores", judgement.text, judgement.advice};
}

// The worst of the host's sets of cores: workers that are not bound share one.
Finding judge_load(const HostWorkers& host) {
  std::map<std::vector<int>, int> threads;
  for (const WorkerFacts* worker : host.second) threads[worker->cores] += worker->threads;
  Finding finding = {Health::kOk, "load", "", ""};
  std::pair worst(false, -1.0);  // crowded, cores used
  for (const WorkerFacts* worker : host.second) {
    const size_t cores = worker->cores.size();
    const double used = worker->other_load;
    const bool crowded = is_crowded(threads[worker->cores], static_cast<double>(cores), used);
    if (std::pair(crowded, used) <= worst) continue;
    worst = {crowded, used};
    finding.health = crowded ? Health::kWarning : Health::kOk;
    finding.text = fmt::format("{}: {}", host.first, other_load_text("use", used, cores, worker->load_average));
    if (crowded) {
      finding.text += "; training is slowed down, and so are the measurements below";
      finding.advice = "wait until they end, or end them; to see them: top";
    }
  }
  return finding;
}

Finding judge_memory(const HostWorkers& host, const ModelNeeds& needs) {
  const WorkerFacts& first = *host.second.front();
  const uint64_t free = first.free_memory;
  if (!needs.known()) {
    return {Health::kOk, "memory",
            fmt::format("{}: {} free (--config and --data show what the model needs)", host.first, human_bytes(free))};
  }
  const uint64_t leader = first.rank == 0 ? needs.leader_bytes : 0;
  if (first.gpu.computes()) {  // the model is in the GPUs' memory
    const bool enough = free >= leader;
    return {enough ? Health::kOk : Health::kProblem, "memory",
            fmt::format("{}: {} free; {} for the copy of a checkpoint that is written during training", host.first,
                        human_bytes(free), human_bytes(leader)),
            enough ? "" : "checkpoint.asynchronous=false needs no copy"};
  }
  const uint64_t needed = needs.worker_bytes * host.second.size() + leader;
  const std::string text =
      fmt::format("{}: {} free; {} for weights, gradients and optimiser of {}; batches take more", host.first,
                  human_bytes(free), human_bytes(needed), describe_workers(static_cast<int>(host.second.size())));
  const std::string advice =
      "fewer workers on this host, workers.shard_optimizer, a smaller model or smaller batch.tokens";
  if (free < needed) return {Health::kProblem, "memory", text, advice};
  const bool tight = static_cast<double>(free) < kRoomForBatches * static_cast<double>(needed);
  return {tight ? Health::kWarning : Health::kOk, "memory", text, tight ? advice : ""};
}

Findings judge_run_disk(const WorkerFacts& leader, const ModelNeeds& needs) {
  const DiskFacts& run = leader.run;
  if (run.path.empty()) return {{Health::kSkipped, "disk", "run folder not checked: give --run FOLDER"}};
  if (!leader.run_error.empty()) {
    return {{Health::kProblem, "disk", fmt::format("{}: {}", leader.name(), leader.run_error),
             "give the folder of a run, an empty or a new one"}};
  }
  if (!run.writable) {
    return {{Health::kProblem, "disk", fmt::format("{} may not write to {}", leader.name(), run.path),
             "choose another folder, or change its owner"}};
  }
  const std::string where = fmt::format("{}: {} free for {}", leader.host, human_bytes(run.free_bytes), run.path);
  if (run.free_bytes == 0) return {{Health::kProblem, "disk", where, "free some space, or choose another --run"}};
  if (!needs.known()) return {{Health::kOk, "disk", where}};
  const uint64_t needed = needs.checkpoint_bytes * static_cast<uint64_t>(needs.checkpoints);
  const bool enough = run.free_bytes >= needed;
  return {{enough ? Health::kOk : Health::kProblem, "disk",
           fmt::format("{}; {} checkpoints of {} take {}", where, needs.checkpoints,
                       human_bytes(needs.checkpoint_bytes), human_bytes(needed)),
           enough ? "" : "free some space, choose another --run, or lower checkpoint.keep_last"}};
}

Findings judge_temporary(const HostWorkers& host) {
  const DiskFacts& disk = host.second.front()->temporary;
  if (disk.path.empty() || (disk.writable && disk.free_bytes >= kTemporaryBytes)) return {};
  return {{Health::kWarning, "disk",
           fmt::format("{}: only {} free for temporary files in {}{}", host.first, human_bytes(disk.free_bytes),
                       disk.path, disk.writable ? "" : ", which is not writable"),
           "free some space, or set TMPDIR: mpirun keeps its files there, and workers of a host their shared memory"}};
}

}  // namespace

Findings judge_resources(const Facts& facts) {
  if (facts.workers.empty()) return {};
  const WorkersByHost hosts = by_host(facts.workers);
  const ModelNeeds needs = needs_of(facts);
  Findings findings;
  for (const HostWorkers& host : hosts) add_findings(findings, {judge_cores_of(host)});
  for (const HostWorkers& host : hosts) add_findings(findings, {judge_load(host)});
  for (const HostWorkers& host : hosts) add_findings(findings, {judge_memory(host, needs)});
  add_findings(findings, judge_run_disk(facts.workers.front(), needs));
  for (const HostWorkers& host : hosts) add_findings(findings, judge_temporary(host));
  return findings;
}

}  // namespace verbund
