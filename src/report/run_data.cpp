// SPDX-License-Identifier: Apache-2.0
#include "report/run_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace verbund {

size_t RankSteps::kept_count() const {
  size_t count = 0;
  for (const Interval& part : kept) count += part.size();
  return count;
}

std::vector<Interval> kept_records(std::span<const StepRecord> records) {
  std::vector<Interval> kept;
  extend_kept_records(kept, records, 0);
  return kept;
}

void extend_kept_records(std::vector<Interval>& kept, std::span<const StepRecord> records, size_t before) {
  std::vector<Interval> added;  // from the last to the first
  int64_t next = std::numeric_limits<int64_t>::max();
  for (size_t i = records.size(); i-- > before;) {
    if (records[i].step >= next) continue;
    next = records[i].step;
    if (!added.empty() && added.back().begin == i + 1) {
      added.back().begin = i;
    } else {
      added.push_back({i, i + 1});
    }
  }
  // The new records undo earlier ones, whose steps rise over all parts.
  while (!kept.empty() && records[kept.back().begin].step >= next) kept.pop_back();
  if (!kept.empty()) {
    const auto at = [&](size_t i) { return records.begin() + static_cast<std::ptrdiff_t>(i); };
    Interval& last = kept.back();
    const auto end = std::lower_bound(at(last.begin), at(last.end), next,
                                      [](const StepRecord& record, int64_t step) { return record.step < step; });
    last.end = static_cast<size_t>(end - records.begin());
    if (!added.empty() && added.back().begin == last.end) {
      last.end = added.back().end;
      added.pop_back();
    }
  }
  kept.insert(kept.end(), added.rbegin(), added.rend());
}

bool StartFacts::was_wanted() const {
  return !killed && (reason.starts_with("finished") || reason.starts_with("stopped"));
}

int RunData::workers() const {
  size_t count = 0;
  for (const HostFacts& host : hosts) count += host.workers.size();
  if (count > 0) return static_cast<int>(count);
  if (const double logged = training.last("workers"); is_known(logged)) return static_cast<int>(logged);
  return ranks.empty() ? 1 : ranks.back().rank + 1;
}

int64_t RunData::last_step() const {
  int64_t last = 0;
  for (const MetricTable* table : {&training, &evaluations}) {
    if (!table->step.empty()) last = std::max(last, table->step.back());
  }
  for (const RankSteps& steps : ranks) {
    if (!steps.kept.empty()) last = std::max(last, steps.records[steps.kept.back().end - 1].step);
  }
  return last;
}

const RankSteps* RunData::steps_of(int rank) const {
  const auto found = std::find_if(ranks.begin(), ranks.end(), [&](const RankSteps& r) { return r.rank == rank; });
  return found == ranks.end() ? nullptr : &*found;
}

const HostFacts* RunData::host_of(int rank) const {
  for (const HostFacts& host : hosts) {
    if (std::find(host.workers.begin(), host.workers.end(), rank) != host.workers.end()) return &host;
  }
  return nullptr;
}

std::string RunData::worker_name(int rank) const {
  const HostFacts* host = host_of(rank);
  return host ? fmt::format("worker {} on {}", rank, host->name) : fmt::format("worker {}", rank);
}

bool RunData::silent() const {
  constexpr double kSilence = 600;  // seconds
  double alive = starts.empty() ? kNotKnown : std::fmax(starts.back().began, starts.back().ended);
  for (const Resources& each : resources) {
    if (!each.times.empty()) alive = std::fmax(alive, each.times.back());
  }
  for (const MetricTable* table : {&training, &evaluations}) {
    for (const double time : table->time) alive = std::fmax(alive, time);
  }
  return read_at - alive > kSilence;
}

}  // namespace verbund
