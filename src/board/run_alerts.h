// SPDX-License-Identifier: Apache-2.0
// The alerts of a watched run: its figures, judged by the rules of alert/alerts.h.
#pragma once

#include <vector>

#include "alert/alerts.h"
#include "board/watched_run.h"

namespace verbund {

// `disk_free`: bytes that the run's file system has left; NaN: not known.
std::vector<Alert> find_alerts(const WatchedRun& run, double disk_free);
inline std::vector<Alert> find_alerts(const WatchedRun& run) { return find_alerts(run, free_bytes(run.folder())); }

}  // namespace verbund
