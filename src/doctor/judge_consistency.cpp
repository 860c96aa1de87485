// SPDX-License-Identifier: Apache-2.0
// Consistency: what must be, or should be, the same on all workers.
#include <fmt/format.h>

#include <map>

#include "doctor/judge.h"

#include "core/human.h"

namespace verbund {
namespace {

using Some = std::vector<const WorkerFacts*>;
using Field = std::string WorkerFacts::*;

constexpr size_t kShownDigits = 8;  // of a checksum

// The most common value; in a tie, that of worker 0.
std::string common_value(const Facts& facts, Field field) {
  std::map<std::string, int> votes;
  for (const WorkerFacts& worker : facts.workers) ++votes[worker.*field];
  std::string common = facts.workers.front().*field;
  for (const auto& [value, count] : votes) {
    if (count > votes[common]) common = value;
  }
  return common;
}

// Workers that differ from most, by their value; "" does not count.
std::map<std::string, Some> deviants(const Facts& facts, Field field, const std::string& common) {
  std::map<std::string, Some> others;
  for (const WorkerFacts& worker : facts.workers) {
    const std::string& value = worker.*field;
    if (value != common && !value.empty()) others[value].push_back(&worker);
  }
  return others;
}

std::string list_deviants(const std::map<std::string, Some>& others, size_t digits = std::string::npos) {
  std::string text;
  for (const auto& [value, who] : others) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", describe(who), value.substr(0, digits));
  }
  return text;
}

// Errors come first: a worker with an error has no checksum to compare.
Findings judge_errors(const Facts& facts, const std::string& check, Field error, const std::string& advice) {
  Findings findings;
  for (const auto& [message, who] : deviants(facts, error, "")) {
    findings.push_back({Health::kProblem, check, fmt::format("{}: {}", describe(who), message), advice});
  }
  return findings;
}

Finding judge_program(const Facts& facts) {
  const std::string common = common_value(facts, &WorkerFacts::program);
  if (const auto others = deviants(facts, &WorkerFacts::program, common); !others.empty()) {
    return {Health::kProblem, "program", fmt::format("most run {}, but {}", common, list_deviants(others)),
            "install the same version everywhere: workers of different versions refuse to train together"};
  }
  const std::string build = common_value(facts, &WorkerFacts::build);
  if (const auto others = deviants(facts, &WorkerFacts::build, build); !others.empty()) {
    return {Health::kWarning, "program",
            fmt::format("all run {}, but not the same file: most have checksum {}, but {}", common,
                        build.substr(0, kShownDigits), list_deviants(others, kShownDigits)),
            "copy one executable to all hosts, unless different builds are intended"};
  }
  return {Health::kOk, "program", common};
}

Finding judge_kernels(const Facts& facts) {
  const std::string common = common_value(facts, &WorkerFacts::kernels);
  const auto others = deviants(facts, &WorkerFacts::kernels, common);
  if (others.empty()) return {Health::kOk, "kernels", common};
  return {Health::kWarning, "kernels",
          fmt::format("most use {}, but {}: results differ in the last bits when workers are placed differently",
                      common, list_deviants(others)),
          "for the same bits, set VERBUND_SIMD to what all hosts support (baseline, avx2, avx512)"};
}

Findings judge_config(const Facts& facts) {
  Findings findings = judge_errors(facts, "config", &WorkerFacts::config_error,
                                   "repair the file or --set; it must be under the same path on every host");
  if (!findings.empty()) return findings;
  const std::string common = common_value(facts, &WorkerFacts::config);
  const auto others = deviants(facts, &WorkerFacts::config, common);
  if (!others.empty()) {
    return {{Health::kProblem, "config",
             fmt::format("differs: most have checksum {}, but {}", common.substr(0, kShownDigits),
                         list_deviants(others, kShownDigits)),
             "copy one file to all hosts; verbund config --show FILE prints what each of them reads"}};
  }
  if (common.empty()) return {{Health::kSkipped, "config", "not checked: give --config FILE"}};
  return {{Health::kOk, "config", fmt::format("the same everywhere (checksum {})", common.substr(0, kShownDigits))}};
}

uint64_t size_of_dataset(const Facts& facts) {
  for (const WorkerFacts& worker : facts.workers) {
    if (worker.dataset_bytes > 0) return worker.dataset_bytes;
  }
  return 0;
}

Findings judge_dataset(const Facts& facts) {
  Findings findings = judge_errors(facts, "dataset", &WorkerFacts::dataset_error,
                                   "copy or mount the folder under the same path on every host");
  const std::string common = common_value(facts, &WorkerFacts::dataset);
  const auto others = deviants(facts, &WorkerFacts::dataset, common);
  if (!others.empty() && !common.empty()) {
    findings.push_back(
        {Health::kProblem, "dataset",
         fmt::format("differs: most have checksum {}, but {}", common.substr(0, kShownDigits),
                     list_deviants(others, kShownDigits)),
         "copy one folder to all hosts: preparing it on each host gives different datasets if texts differ"});
  }
  const uint64_t size = size_of_dataset(facts);
  for (const WorkerFacts& worker : facts.workers) {
    if (worker.dataset_error.empty() || worker.dataset_disk.free_bytes >= size) continue;
    findings.push_back({Health::kProblem, "dataset",
                        fmt::format("it takes {}, and {} has only {} free for a copy", human_bytes(size), worker.host,
                                    human_bytes(worker.dataset_disk.free_bytes)),
                        "make room there, or mount the folder over the network"});
    break;
  }
  if (!findings.empty()) return findings;
  if (common.empty()) return {{Health::kSkipped, "dataset", "not checked: give --data FOLDER"}};
  return {{Health::kOk, "dataset",
           fmt::format("the same everywhere: {}, checksum {}", human_bytes(size), common.substr(0, kShownDigits))}};
}

}  // namespace

Findings judge_consistency(const Facts& facts) {
  if (facts.workers.empty()) return {};
  Findings findings = {judge_program(facts), judge_kernels(facts)};
  for (const auto& part : {judge_config, judge_dataset}) add_findings(findings, part(facts));
  return findings;
}

}  // namespace verbund
