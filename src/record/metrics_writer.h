// What is logged of training and of evaluations, as the lines of metrics.jsonl: see docs/formats.md.
#pragma once

#include <nlohmann/json.hpp>

#include "record/run_observer.h"

namespace verbund {

// Means over the steps between two lines.
class MetricsWriter {
 public:
  explicit MetricsWriter(int workers) : workers_(workers) {}

  void add(const StepSeen& seen);
  // Of the steps since the last one; this is their last.
  nlohmann::ordered_json take(const StepSeen& last);
  void forget() { window_ = {}; }  // they are undone

 private:
  struct Window {
    Loss loss;
    int64_t steps = 0;
    StepTimes times;
  };

  int workers_;
  Window window_;
};

nlohmann::ordered_json metrics_line(const EvaluationSeen& seen);

}  // namespace verbund
