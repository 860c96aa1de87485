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
  std::vector<Interval> kept;  // from the last to the first
  int64_t next = std::numeric_limits<int64_t>::max();
  for (size_t i = records.size(); i-- > 0;) {
    if (records[i].step >= next) continue;
    next = records[i].step;
    if (!kept.empty() && kept.back().begin == i + 1) {
      kept.back().begin = i;
    } else {
      kept.push_back({i, i + 1});
    }
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
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
  return read_at - alive > kSilence;
}

}  // namespace verbund
