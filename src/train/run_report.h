// What a run tells of itself while it trains: lines for people, metrics.jsonl for programs. Worker
// 0 speaks for all.
#pragma once

#include <chrono>

#include "config/config.h"
#include "evaluate/evaluation.h"
#include "train/live_status.h"
#include "train/run_log.h"
#include "train/run_state.h"
#include "train/time_left.h"

namespace verbund {

// How a step's time was spent.
struct StepTimes {
  double seconds = 0;  // all of it
  double waited = 0;   // for data
  ReduceTimes reduce;
};

class RunReport {
 public:
  RunReport(const Config& config, int workers) : config_(config), workers_(workers) {}

  void add(const StepResult& result, const StepTimes& times);
  RunTimes& times() { return times_; }
  void forget() { window_ = {}; }  // what came together since the last line
  int64_t steps() const { return window_.steps; }

  void log_step(RunLog& log, const RunState& state, const StepResult& result, const WorkerBatch& batch,
                const RunLength& run);
  // `best`: by some metric.
  void log_evaluation(RunLog& log, const RunState& state, const Evaluation& dev, const TestSet& set, bool averaged,
                      bool best);
  static void log_sample(RunLog& log, const TestSet& set, size_t pair, const std::string& prediction);
  void log_benchmark(RunLog& log) const;

  // On the status line between the lines of the log; without one, a line of the console when there was none for long.
  void show_progress(int64_t step, const RunLength& run);
  void hide_progress() { live_.hide(); }

 private:
  struct Window {
    Loss loss;
    int64_t steps = 0;
    StepTimes times;
  };

  const Config& config_;
  int workers_;
  Window window_;
  RunTimes times_;
  double loss_ = 0;  // of the last step
  LiveStatus live_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace verbund
