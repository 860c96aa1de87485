// SPDX-License-Identifier: Apache-2.0
// The row of a run in the table of all runs, and what the page of a run shows at its head, as JSON.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "alert/alerts.h"
#include "board/watched_run.h"

namespace verbund {

// name, state, reason, step, last_step, progress, seconds_left, best_bleu, loss, tokens_per_second, workers, curve, ...
// Numbers that are not known are null. `shown_settings`: keys of the configuration to add.
Json run_row(const WatchedRun& run, const std::set<std::string>& shown_settings = {});

// The figures of the run, judged by the rules of alert/alerts.h. `disk_free`: bytes that its file system has left; NaN:
// not known.
std::vector<Alert> find_alerts(const WatchedRun& run, double disk_free);
inline std::vector<Alert> find_alerts(const WatchedRun& run) { return find_alerts(run, free_bytes(run.folder())); }

// The row with marks, alerts, keys of curves and all settings that differ from the default.
Json run_head(const WatchedRun& run, const std::vector<Alert>& alerts);

// The settings whose values are not the same in all of these configurations. Runs without one are ignored.
std::set<std::string> differing_settings(const std::vector<const Json*>& settings);

}  // namespace verbund
