// SPDX-License-Identifier: Apache-2.0
// Alerts are the troubles of a watched run that somebody should know of now: each is found by a rule from its record.
#pragma once

#include <string>
#include <vector>

#include "board/watched_run.h"

namespace verbund {

struct Alert {
  std::string kind;  // "diverged", "diverging", "straggler", "stalled", "disk", "no_improvement", "lost"
  std::string text;  // a sentence with its figures
};

// `disk_free`: bytes that the run's file system has left; NaN: not known. Stragglers need refreshed steps.
std::vector<Alert> find_alerts(const WatchedRun& run, double disk_free);

// Of the file system of a folder; NaN if it cannot be asked.
double free_bytes(const fs::path& folder);

// The rules on plain numbers.
bool is_diverging(const std::vector<double>& loss);  // the last five are, in the mean, well above the lowest five

struct WorkerPace {
  int rank = 0;
  double waited = 0, compute = 0;  // seconds per step before the exchange
};
// The slowest worker, if it needs at least 15 % and 1 ms more than the median one; -1: none.
int find_straggler(const std::vector<WorkerPace>& workers);

}  // namespace verbund
