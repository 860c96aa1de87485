// SPDX-License-Identifier: Apache-2.0
#include "doctor/facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace verbund {

NLOHMANN_JSON_SERIALIZE_ENUM(StartResult, {{StartResult::kTogether, "together"},
                                           {StartResult::kNotTried, "not tried"},
                                           {StartResult::kBlocked, "blocked"},
                                           {StartResult::kNoProgram, "no program"},
                                           {StartResult::kNoMpirun, "no mpirun"},
                                           {StartResult::kFailed, "failed"}})
// nlohmann's own macro is for json alone, not for ordered_json.
#define JSON_MEMBERS(Type, ...)                                                \
  void to_json(Json& nlohmann_json_j, const Type& nlohmann_json_t) {           \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))   \
  }                                                                            \
  void from_json(const Json& nlohmann_json_j, Type& nlohmann_json_t) {         \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__)) \
  }
JSON_MEMBERS(AskedHost, name, slots, answers, said)
JSON_MEMBERS(NetworkAddress, interface, address)
JSON_MEMBERS(DiskFacts, path, free_bytes, writable)
JSON_MEMBERS(ModelNeeds, parameters, gradient_bytes, worker_bytes, gpu_bytes, leader_bytes, checkpoint_bytes,
             checkpoints)
JSON_MEMBERS(LibraryFacts, name, path, version, why_not)
JSON_MEMBERS(StepFacts, loss, gradient_norm)
JSON_MEMBERS(GpuFacts, requested, precision, cpu_trouble, libraries, missing, nccl_missing, driver, count, number, name,
             architecture, memory, free_memory, trouble, step, cpu_step)
JSON_MEMBERS(GpuSumFacts, workers, trouble, bytes, seconds, difference)
JSON_MEMBERS(AllReduceFacts, workers, bytes, measured_bytes, seconds)
JSON_MEMBERS(WorkerFacts, rank, host, cores, machine_cores, other_load, load_average, threads, program, build, kernels,
             config, config_error, dataset, dataset_error, dataset_bytes, needs, free_memory, run, run_error,
             dataset_disk, temporary, addresses, gpus, gpu)
JSON_MEMBERS(LinkFacts, from, to, round_trip_seconds, clock_offset_seconds, bytes_per_second)
JSON_MEMBERS(Facts, asked, start, start_message, workers, links, all_reduce, transport, gpu_sum)

std::string WorkerFacts::name() const { return fmt::format("worker {} on {}", rank, host); }

double AllReduceFacts::seconds_of_all() const {
  return measured_bytes == 0 ? 0 : seconds * static_cast<double>(bytes) / static_cast<double>(measured_bytes);
}

double AllReduceFacts::bus_bytes_per_second() const {
  return seconds <= 0 ? 0 : 2.0 * (workers - 1) / workers * static_cast<double>(measured_bytes) / seconds;
}

WorkersByHost by_host(const std::vector<WorkerFacts>& workers) {
  WorkersByHost hosts;
  for (const WorkerFacts& worker : workers) {
    auto host = std::find_if(hosts.begin(), hosts.end(), [&](const auto& known) { return known.first == worker.host; });
    if (host == hosts.end()) host = hosts.insert(hosts.end(), {worker.host, {}});
    host->second.push_back(&worker);
  }
  return hosts;
}

}  // namespace verbund
