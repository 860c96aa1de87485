// SPDX-License-Identifier: Apache-2.0
// Stepper takes the steps of a training and reports them to its observers: at once, or where a round of local steps
// ends (workers.sync_every), when the losses of all workers are known.
#pragma once

#include <chrono>
#include <vector>

#include "mixture/prefetch.h"
#include "record/metrics_writer.h"
#include "record/run_observer.h"
#include "train/round.h"
#include "train/run.h"
#include "train/step.h"

namespace verbund {

class Stepper {
 public:
  Stepper(Run& run, Observers& observers);

  // Returns the signal that some worker has received, or 0. Throws Diverged.
  int step(Prefetcher& batches);
  // Within a round, a stop waits for its end, which may take long.
  void tell_of_waiting_stop();
  void forget();  // the state was replaced by an earlier one

 private:
  // Sends the weights when they are due, and joins the workers when the round ends.
  void end_step_of_round(StepResult& result, std::chrono::steady_clock::time_point began);
  StepSeen see(const StepResult& result, const WorkerBatch& batch, std::chrono::steady_clock::time_point began) const;
  // The steps since the last meeting.
  void report_steps();
  void report(const StepSeen& seen);

  Run& run_;
  TrainState& state_;
  Observers& observers_;
  MetricsWindow window_;
  Round round_;                       // with workers.sync_every
  std::vector<StepSeen> unreported_;  // steps since the last meeting
  bool stop_waits_ = false;           // for the end of the round, as was told
};

}  // namespace verbund
