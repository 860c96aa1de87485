// SPDX-License-Identifier: Apache-2.0
#include "doctor/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace verbund {

NLOHMANN_JSON_SERIALIZE_ENUM(StartResult, {{StartResult::kTogether, "together"},
                                           {StartResult::kNotTried, "not tried"},
                                           {StartResult::kBlocked, "blocked"},
                                           {StartResult::kNoProgram, "no program"},
                                           {StartResult::kNoMpirun, "no mpirun"},
                                           {StartResult::kFailed, "failed"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AskedHost, name, slots, answers, said)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NetworkAddress, interface, address)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DiskFacts, path, free_bytes, writable)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelNeeds, parameters, gradient_bytes, worker_bytes, gpu_bytes, leader_bytes,
                                   checkpoint_bytes, checkpoints)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LibraryFacts, name, path, version, why_not)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepFacts, loss, gradient_norm)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuFacts, wish, precision, cpu_trouble, libraries, missing, nccl_missing, driver,
                                   count, number, name, architecture, memory, free_memory, trouble, step, cpu_step)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuSumFacts, workers, trouble, bytes, seconds, difference)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AllReduceFacts, workers, bytes, measured_bytes, seconds)

namespace {

// The one list of members, for both directions.
template <typename Members, typename Visit>
void each_member(Members& facts, Visit visit) {
  visit("rank", facts.rank);
  visit("host", facts.host);
  visit("cores", facts.cores);
  visit("machine_cores", facts.machine_cores);
  visit("threads", facts.threads);
  visit("program", facts.program);
  visit("build", facts.build);
  visit("kernels", facts.kernels);
  visit("config", facts.config);
  visit("config_error", facts.config_error);
  visit("dataset", facts.dataset);
  visit("dataset_error", facts.dataset_error);
  visit("dataset_bytes", facts.dataset_bytes);
  visit("needs", facts.needs);
  visit("free_memory", facts.free_memory);
  visit("run", facts.run);
  visit("dataset_disk", facts.dataset_disk);
  visit("temporary", facts.temporary);
  visit("addresses", facts.addresses);
  visit("gpus", facts.gpus);
  visit("gpu", facts.gpu);
}

}  // namespace

void to_json(nlohmann::json& json, const WorkerFacts& facts) {
  each_member(facts, [&](const char* name, const auto& value) { json[name] = value; });
}

void from_json(const nlohmann::json& json, WorkerFacts& facts) {
  each_member(facts, [&](const char* name, auto& value) { json.at(name).get_to(value); });
}

void to_json(nlohmann::json& json, const LinkFacts& facts) {
  json = {{"from", facts.from},
          {"to", facts.to},
          {"round_trip_seconds", facts.round_trip_seconds},
          {"clock_offset_seconds", facts.clock_offset_seconds},
          {"bytes_per_second", facts.bytes_per_second}};
}

void from_json(const nlohmann::json& json, LinkFacts& facts) {
  json.at("from").get_to(facts.from);
  json.at("to").get_to(facts.to);
  json.at("round_trip_seconds").get_to(facts.round_trip_seconds);
  json.at("clock_offset_seconds").get_to(facts.clock_offset_seconds);
  json.at("bytes_per_second").get_to(facts.bytes_per_second);
}

void to_json(nlohmann::json& json, const Facts& facts) {
  json = {{"asked", facts.asked},         {"start", facts.start},    {"start_message", facts.start_message},
          {"workers", facts.workers},     {"links", facts.links},    {"all_reduce", facts.all_reduce},
          {"transport", facts.transport}, {"gpu_sum", facts.gpu_sum}};
}

void from_json(const nlohmann::json& json, Facts& facts) {
  json.at("asked").get_to(facts.asked);
  json.at("start").get_to(facts.start);
  json.at("start_message").get_to(facts.start_message);
  json.at("workers").get_to(facts.workers);
  json.at("links").get_to(facts.links);
  json.at("all_reduce").get_to(facts.all_reduce);
  json.at("transport").get_to(facts.transport);
  json.at("gpu_sum").get_to(facts.gpu_sum);
}

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
