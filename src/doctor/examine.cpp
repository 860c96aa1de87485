// SPDX-License-Identifier: Apache-2.0
#include "doctor/examine.h"

#include <algorithm>

#include "config/config.h"
#include "core/error.h"
#include "core/json.h"
#include "doctor/measure.h"
#include "resources/other_load.h"

namespace verbund {
namespace {

constexpr uint64_t kUsualGradient = 64 << 20;
constexpr double kDeadlineSeconds = 60;  // every check is shorter

constexpr const char* kTransportNames[] = {"auto", "mpi", "nccl"};  // of Exchange

// Wire and transport of gradients by worker 0's configuration: all must do the same, even if theirs differ.
struct Travel {
  Wire wire = WorkersConfig().wire;
  Exchange transport = WorkersConfig().transport;
};

Travel planned_travel(Workers& workers, const Training& training) {
  Travel own;
  try {
    const WorkersConfig config = load_config(training.config_file, training.overrides).workers;
    // Rounds of local steps exchange weights in host memory.
    own = {config.wire, config.has_rounds() ? Exchange::kMpi : config.transport};
  } catch (const Error&) {  // it is among the facts
  }
  const Json numbers = parse_json(
      workers.comm().broadcast(dump_json(Json{static_cast<int>(own.wire), static_cast<int>(own.transport)})));
  return {static_cast<Wire>(numbers[0].get<int>()), static_cast<Exchange>(numbers[1].get<int>())};
}

// True if all workers have a working GPU and NCCL, and the configuration allows it.
bool gpus_meet(const Facts& facts, const Travel& travel) {
  return facts.workers.size() > 1 && travel.transport != Exchange::kMpi && travel.wire == Wire::kFp32 &&
         std::all_of(facts.workers.begin(), facts.workers.end(), [](const WorkerFacts& worker) {
           return worker.gpu.computes() && worker.gpu.nccl_missing.empty();
         });
}

// The share of this worker's cores that other programs use. All workers measure it at the same time: their own work is
// not load.
double idle_load(Workers& workers) {
  workers.comm().barrier();
  const double used = OtherLoad(workers.self().cores).cores_used();
  workers.comm().barrier();
  return used;
}

// File names and messages of the system need not be UTF-8.
std::string line_of(const Json& json) { return dump_json(json); }

}  // namespace

Facts examine(Workers& workers, const Training& training) {
  WorkersConfig limits;
  limits.deadline_seconds = kDeadlineSeconds;
  workers.watchdog().set_limits(limits);
  Facts facts;
  const double other_load = idle_load(workers);
  Collected collected = collect_worker_facts(workers.self(), workers.size(), training);
  collected.facts.other_load = other_load;
  const Json own = collected.facts;
  for (const std::string& text : workers.comm().gather(line_of(own))) {
    facts.workers.push_back(parse_json(text).get<WorkerFacts>());
  }
  facts.links = measure_links(workers);
  uint64_t gradient = 0;
  for (const WorkerFacts& worker : facts.workers) gradient = std::max(gradient, worker.needs.gradient_bytes);
  if (gradient == 0) gradient = kUsualGradient;
  const Travel travel = planned_travel(workers, training);
  facts.transport = kTransportNames[static_cast<size_t>(travel.transport)];
  facts.all_reduce = measure_all_reduce(workers, gradient, travel.wire);
  if (gpus_meet(facts, travel)) facts.gpu_sum = measure_gpu_sum(workers, *collected.gpu);
  return facts;
}

std::string line_of_facts(const Facts& facts) { return line_of(facts); }

}  // namespace verbund
