// SPDX-License-Identifier: Apache-2.0
// The figures of all runs in the OpenMetrics text format, for Prometheus.
#pragma once

#include <string>
#include <vector>

#include "alert/alerts.h"
#include "board/watched_run.h"

namespace verbund {

inline constexpr const char* kOpenMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

// OpenMetrics collects the samples of one run after the other; text() has them by metric.
class OpenMetrics {
 public:
  // Stragglers and phases need refreshed steps.
  void add(const WatchedRun& run, const std::vector<Alert>& alerts);
  std::string text() const;

 private:
  void sample(const char* name, const std::vector<std::pair<const char*, std::string>>& labels, double value);

  std::vector<std::pair<std::string, std::string>> samples_;  // name of the family, line
};

// Backslash, quote and newline are escaped.
std::string metrics_label(std::string_view value);

}  // namespace verbund
