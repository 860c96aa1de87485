// SPDX-License-Identifier: Apache-2.0
// MadeRun builds runs with known properties without training: steps, starts, events and evaluations of a test's choice.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/json.h"
#include "page/verdict.h"
#include "report/layouts.h"
#include "report/run_data.h"

namespace verbund {

// What one worker does in a step, in seconds.
struct MadeStep {
  double waited = 0.01, compute = 0.7, exposed = 0, update = 0.05;
  uint64_t bytes = 0;
  uint32_t tokens = 1000;
  uint32_t flags = 0;

  double seconds() const { return waited + compute + exposed + update; }
};

class MadeRun {
 public:
  // Workers over hosts "a", "b", ..., so many on each.
  explicit MadeRun(int workers = 1, int on_each_host = 1) : records_(static_cast<size_t>(workers)) {
    data_.name = "made";
    data_.folder = "runs/made";
    data_.record = {{"format", "verbund-run"}, {"dataset", Json::object()}};
    data_.config.emplace();
    use_workers(workers, on_each_host);
  }

  // Later starts have so many workers; at most as many as the run has.
  void use_workers(int workers, int on_each_host = 1) {
    data_.hosts.clear();
    for (int rank = 0; rank < workers; ++rank) {
      if (rank % on_each_host == 0) {
        data_.hosts.push_back({std::string(1, static_cast<char>('a' + rank / on_each_host)), "", 4, 2, 8e9, {}});
      }
      data_.hosts.back().workers.push_back(rank);
    }
    workers_ = static_cast<size_t>(workers);
  }

  RunData& data() { return data_; }
  double now() const { return now_; }
  void pass(double seconds) { now_ += seconds; }

  // A start at this moment; `seconds` later the first step may begin.
  void start(double seconds, int64_t from_step = 0) {
    start_ = static_cast<uint32_t>(data_.starts.size());
    data_.starts.push_back(
        {static_cast<int>(start_), now_, kNotKnown, from_step, "", false, {"verbund", "train"}, data_.hosts});
    event(start_ == 0 ? "start" : "resume", from_step, {{"from_step", from_step}});
    now_ += seconds;
    event("ready", from_step, {{"seconds", seconds}});
  }

  // Every worker begins when all have done the step before; the step of all ends when the slowest has, and those who
  // were ready earlier wait: it is added to their `exposed`.
  void step(int64_t step, const std::function<MadeStep(int rank)>& make) {
    std::vector<MadeStep> made;
    double ready = 0;
    for (size_t rank = 0; rank < workers_; ++rank) {
      made.push_back(make(static_cast<int>(rank)));
      ready = std::max(ready, made.back().waited + made.back().compute);
    }
    double longest = 0;
    for (size_t rank = 0; rank < workers_; ++rank) {
      MadeStep& own = made[rank];
      own.exposed += ready - own.waited - own.compute;
      StepRecord record;
      record.step = step;
      record.began = now_;
      record.seconds = static_cast<float>(own.seconds());
      record.waited = static_cast<float>(own.waited);
      record.compute = static_cast<float>(own.compute);
      record.exposed = static_cast<float>(own.exposed);
      record.update = static_cast<float>(own.update);
      record.exchange = record.exposed;
      record.bytes = own.bytes;
      record.tokens = own.tokens;
      record.start = start_;
      record.flags = own.flags;
      records_[rank].push_back(record);
      longest = std::max(longest, own.seconds());
    }
    now_ += longest;
  }

  void steps(int64_t first, int64_t last, const MadeStep& made = {}) {
    for (int64_t s = first; s <= last; ++s) {
      step(s, [&](int) { return made; });
    }
  }

  // Takes its time, if it has "seconds".
  void event(const std::string& name, int64_t step, Json details = Json::object(), bool takes_time = false) {
    if (takes_time) now_ += details.value("seconds", 0.0);
    HistoryEvent made;
    made.at = now_;
    made.event = name;
    made.step = step;
    made.start = start_;
    made.line = std::move(details);
    data_.history.push_back(std::move(made));
  }
  void evaluate(int64_t step, double seconds) { event("evaluation", step, {{"seconds", seconds}}, true); }
  void save(int64_t step, double seconds) { event("save", step, {{"seconds", seconds}}, true); }

  void end(const std::string& reason, bool killed = false) {
    data_.starts.back().ended = now_;
    data_.starts.back().reason = reason;
    data_.starts.back().killed = killed;
  }

  // A row of metrics.jsonl.
  static void row(MetricTable& table, int64_t step, const std::vector<std::pair<std::string, double>>& values,
                  double time = kNotKnown) {
    table.step.push_back(step);
    table.time.push_back(time);
    for (const auto& [key, value] : values) {
      table.columns[key].resize(table.rows(), kNotKnown);
      table.columns[key].back() = value;
    }
    for (auto& [key, column] : table.columns) column.resize(table.rows(), kNotKnown);
  }

  // The run; the maker has to live no longer.
  RunData take() {
    for (size_t rank = 0; rank < records_.size(); ++rank) {
      if (records_[rank].empty()) continue;
      auto kept = std::make_shared<const std::vector<StepRecord>>(records_[rank]);
      const HostFacts* host = data_.host_of(static_cast<int>(rank));
      data_.ranks.push_back({static_cast<int>(rank), host ? host->name : "", kept, *kept, kept_records(*kept)});
    }
    drop_undone_records(data_);
    return data_;
  }

 private:
  RunData data_;
  std::vector<std::vector<StepRecord>> records_;  // by rank
  double now_ = 1000000;
  uint32_t start_ = 0;
  size_t workers_ = 1;
};

// A verdict by its id; the test fails without it.
inline Verdict find_verdict(const std::vector<Verdict>& verdicts, const std::string& id) {
  const auto found =
      std::find_if(verdicts.begin(), verdicts.end(), [&](const Verdict& verdict) { return verdict.id == id; });
  if (found != verdicts.end()) return *found;
  ADD_FAILURE() << "there is no verdict " << id;
  return {};
}

// A figure of a verdict by its name; the test fails without it.
inline Figure find_figure(const Verdict& verdict, const std::string& name) {
  const auto found = std::find_if(verdict.figures.begin(), verdict.figures.end(),
                                  [&](const Figure& figure) { return figure.name == name; });
  if (found != verdict.figures.end()) return *found;
  ADD_FAILURE() << verdict.id << " has no figure " << name;
  return {};
}

}  // namespace verbund
