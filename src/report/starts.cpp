// SPDX-License-Identifier: Apache-2.0
// Starts of a run, from run.json and, more precisely, from its history.
#include <algorithm>

#include "core/json.h"
#include "core/wall_clock.h"
#include "record/run_record.h"
#include "report/json_values.h"
#include "report/run_parts.h"

namespace verbund {
namespace {

HostFacts host_facts(const Json& json) {
  HostFacts host;
  host.name = text_at(json, "host");
  host.processor = text_at(json, "processor");
  host.allowed_cores = number_at(json, "allowed_cores");
  host.cores = number_at(json, "cores");
  host.threads_per_worker = number_at(json, "threads_per_worker");
  host.memory_bytes = number_at(json, "memory_bytes");
  if (json.contains("workers") && json["workers"].is_array()) {
    for (const Json& rank : json["workers"]) {
      if (rank.is_number_integer()) host.workers.push_back(rank.get<int>());
    }
  }
  return host;
}

std::vector<HostFacts> hosts_of_start(const Json& start) {
  std::vector<HostFacts> hosts;
  if (!start.contains("hosts") || !start["hosts"].is_array()) return hosts;
  for (const Json& host : start["hosts"]) {
    if (host.is_object()) hosts.push_back(host_facts(host));
  }
  return hosts;
}

// Whether a command has --resume with this word.
bool resumes_by(const std::vector<std::string>& command, const std::string& word) {
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "--resume" && i + 1 < command.size() && command[i + 1] == word) return true;
    if (command[i] == "--resume=" + word) return true;
  }
  return false;
}

StartFacts start_facts(const Json& json, int number_of_start) {
  StartFacts start;
  start.number = number_of_start;
  start.began = parse_utc_time(text_at(json, "time"));
  start.step = json.value("step", int64_t{0});
  if (json.contains("command")) {
    for (const Json& word : json["command"]) start.command.push_back(word.is_string() ? word.get<std::string>() : "");
  }
  start.hosts = hosts_of_start(json);
  start.mixture = text_at(json, "mixture");
  start.differences = words_at(json, "differences");
  start.returned_to_best = resumes_by(start.command, "best");
  if (!json.contains("differences") && (start.returned_to_best || resumes_by(start.command, "force"))) {
    start.differences.emplace_back("what differed, if anything, is not on record");
  }
  if (const auto stop = json.find("stop"); stop != json.end()) {
    start.reason = text_at(*stop, "reason");
    start.killed = stop->contains("last_sign_of_life");
    start.ended = parse_utc_time(text_at(*stop, start.killed ? "last_sign_of_life" : "time"));
  }
  return start;
}

// Hosts of a start that run.json has left out: those of the start before, if the number of workers is the same.
std::vector<HostFacts> hosts_like(const std::vector<HostFacts>& before, double workers) {
  double count = 0;
  for (const HostFacts& host : before) count += static_cast<double>(host.workers.size());
  if (!is_known(workers) || count == workers) return before;
  HostFacts unknown;
  unknown.name = "hosts that are not on record";
  unknown.on_record = false;
  constexpr double kMaxWorkers = 1e5;  // a larger number is damaged
  for (int rank = 0; rank < static_cast<int>(std::min(workers, kMaxWorkers)); ++rank) unknown.workers.push_back(rank);
  return {unknown};
}

bool is_end(const std::string& event) {
  return event == "finish" || event == "stop" || event == "fail" || event == "early_stop";
}

// The reason as run.json would have it.
std::string end_reason(const HistoryEvent& event) {
  const bool finished = event.event == "finish" || event.event == "early_stop";
  return finished ? "finished" : text_at(event.line, "reason");
}

StartFacts& start_of(RunData& run, int number_of_start) {
  const auto found = std::find_if(run.starts.begin(), run.starts.end(),
                                  [&](const StartFacts& start) { return start.number == number_of_start; });
  if (found != run.starts.end()) return *found;
  StartFacts start;
  start.number = number_of_start;
  const auto place = std::find_if(run.starts.begin(), run.starts.end(),
                                  [&](const StartFacts& other) { return other.number > number_of_start; });
  return *run.starts.insert(place, start);
}

}  // namespace

void read_record(RunData& run) {
  if (!fs::exists(run.folder / "run.json")) return;
  run.record = read_run_record(run.folder);
  run.imported = run.record.contains("imported");
  const Json& starts = run.record.at("starts");
  const int left_out = static_cast<int>(run.record.value("start_count", int64_t{0})) - static_cast<int>(starts.size());
  constexpr size_t kFirst = 10;  // run.json keeps the first and last starts
  for (size_t i = 0; i < starts.size(); ++i) {
    run.starts.push_back(start_facts(starts[i], static_cast<int>(i) + (i < kFirst ? 0 : std::max(0, left_out))));
  }
  if (!run.starts.empty()) run.hosts = run.starts.back().hosts;
}

void complete_starts(RunData& run) {
  std::map<int, double> alive;  // last sign of life of each start
  const auto heard = [&](uint32_t start, double at) {
    double& last = alive.try_emplace(static_cast<int>(start), at).first->second;
    last = std::max(last, at);
  };
  std::map<int, double> ended, workers;
  for (const HistoryEvent& event : run.history) {
    const auto number_of_start = static_cast<int>(event.start);
    heard(event.start, event.at);
    StartFacts& start = start_of(run, number_of_start);
    if (event.event == "start" || event.event == "resume") {
      start.began = event.at;
      workers[number_of_start] = number_at(event.line, "workers");
      if (event.event == "resume" && event.line.contains("from_step"))
        start.step = event.line.value("from_step", int64_t{0});
    } else if (event.event == "ready" && is_known(number_at(event.line, "seconds"))) {
      const double began = event.at - number_at(event.line, "seconds");
      start.began = is_known(start.began) && start.began > event.at ? began : std::min(start.began, began);
    } else if (is_end(event.event)) {
      ended[number_of_start] = event.at;
      if (start.reason.empty() || start.killed) start.reason = end_reason(event);
    }
  }
  for (const RankSteps& steps : run.ranks) {
    for_each_start(steps.records, {0, steps.records.size()}, [&](uint32_t start, const Interval& part) {
      const StepRecord& last = steps.records[part.end - 1];
      heard(start, last.began + last.seconds);
    });
  }
  std::vector<HostFacts> before;
  for (const HistoryEvent& event : run.history) {
    if (event.event == "restart") start_of(run, static_cast<int>(event.start)).returned_to_best = false;
  }
  for (StartFacts& start : run.starts) {
    const auto count = workers.find(start.number);
    if (start.hosts.empty()) start.hosts = hosts_like(before, count == workers.end() ? kNotKnown : count->second);
    before = start.hosts;
    if (const auto end = ended.find(start.number); end != ended.end()) {
      start.ended = std::max(end->second, alive[start.number]);
      start.killed = false;
    } else if (const auto last = alive.find(start.number); last != alive.end()) {
      start.ended = last->second;  // more precise than run.json
    }
    if (start.ended < start.began) start.ended = start.began;
  }
}

}  // namespace verbund
