// SPDX-License-Identifier: Apache-2.0
// walk_steps() visits the step records of all workers in parallel.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "report/run_data.h"

namespace verbund {

// Calls use(step) for every step that counts, with the record of each of `run.ranks`; nullptr where one is missing.
template <typename Use>
void walk_steps(const RunData& run, Use use) {
  struct Cursor {
    const RankSteps* steps;
    size_t part = 0, place = 0;

    const StepRecord* get() const {
      return part < steps->kept.size() ? &steps->records[steps->kept[part].begin + place] : nullptr;
    }
    void advance() {
      if (++place < steps->kept[part].size()) return;
      ++part;
      place = 0;
    }
  };
  std::vector<Cursor> cursors;
  for (const RankSteps& steps : run.ranks) cursors.push_back({&steps});
  std::vector<const StepRecord*> step(cursors.size());
  while (true) {
    int64_t next = std::numeric_limits<int64_t>::max();
    for (const Cursor& cursor : cursors) {
      if (cursor.get()) next = std::min(next, cursor.get()->step);
    }
    if (next == std::numeric_limits<int64_t>::max()) return;
    for (size_t i = 0; i < cursors.size(); ++i) {
      step[i] = cursors[i].get();
      if (step[i] && step[i]->step == next) {
        cursors[i].advance();
      } else {
        step[i] = nullptr;
      }
    }
    use(step);
  }
}

// Time at which a worker has all of its gradient ready, on the clock of worker 0.
inline double ready_at(const StepRecord& record) { return record.began + record.waited + record.compute; }

inline double slowest_ready(const std::vector<const StepRecord*>& step) {
  double latest = -std::numeric_limits<double>::infinity();
  for (const StepRecord* record : step) {
    if (record) latest = std::max(latest, ready_at(*record));
  }
  return latest;
}

}  // namespace verbund
