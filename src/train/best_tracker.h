// SPDX-License-Identifier: Apache-2.0
// BestTracker records the best evaluation by each metric, and decides when training no longer improves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/evaluate_config.h"
#include "core/json.h"

namespace verbund {

class BestTracker {
 public:
  struct Best {
    double value = 0;
    int64_t step = 0;
  };

  explicit BestTracker(const EvaluateConfig& config);

  // The metrics that must be recorded: those to keep the best of and those to stop on.
  const std::vector<std::string>& metrics() const { return metrics_; }

  // Values by metric. Returns the links that should name this step: best-bleu, best-loss, best, ...
  std::vector<std::string> record(int64_t step, const std::map<std::string, double>& values);
  // The reason for an early stop, or "".
  std::string stop_reason() const;

  // The best values by metric.
  std::map<std::string, Best> best() const;
  // The step that each link should name.
  std::map<std::string, int64_t> links() const;

  // Part of the state in checkpoints.
  Json state() const;
  void restore(const Json& state);

 private:
  struct Record {
    double value = 0;
    int64_t step = -1;           // none yet
    int64_t without_change = 0;  // evaluations since
  };

  EvaluateConfig config_;
  std::vector<std::string> kept_, stopping_, metrics_;
  std::map<std::string, Record> records_;
};

}  // namespace verbund
