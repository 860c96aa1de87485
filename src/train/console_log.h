// SPDX-License-Identifier: Apache-2.0
// ConsoleLog is worker 0's observer that writes the console, log.txt and the status line while a run trains.
#pragma once

#include <chrono>

#include "core/json.h"
#include "record/run_observer.h"
#include "train/run.h"
#include "train/run_log.h"
#include "train/run_times.h"

namespace verbund {

class ConsoleLog : public RunObserver {
 public:
  // The run must outlive this.
  explicit ConsoleLog(const Run& run);

  void begin(int64_t /*step*/) override { steps_ = 0; }
  void step(const StepSeen& seen) override;
  void pause() override { live_.hide(); }
  void evaluation(const EvaluationSeen& seen) override;
  void sample(const SampleSeen& seen) override;
  void metrics(const Json& line) override;
  void event(const RunEvent& happened) override;

 private:
  void log_benchmark();
  void summarize(const char* end);
  void show_progress(int64_t step);

  const Run& run_;
  RunLog log_;
  const RunLength length_;
  RunTimes times_;
  StepTimes sums_;      // of the exchange, over all steps
  int64_t tokens_ = 0;  // the same
  int64_t steps_ = 0;   // since the last line
  double loss_ = 0;     // of the last step
  LiveStatus live_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace verbund
