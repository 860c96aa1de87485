// SPDX-License-Identifier: Apache-2.0
// Evaluator checks the current weights before they are saved or evaluated, and evaluates them on the dev pairs.
#pragma once

#include "record/run_observer.h"
#include "train/run.h"

namespace verbund {

// Thrown by all workers if the loss of the current weights is not finite or explodes.
struct Diverged {
  std::string trouble;
};

class Evaluator {
 public:
  Evaluator(Run& run, Observers& observers) : run_(run), observers_(observers) {}

  // The loss of a step belongs to the weights before it. So, before weights are evaluated or saved, the loss of the
  // next batch checks them: checkpoints are good, however the run ends. Returns the problem, or "".
  std::string trouble_with_weights();
  void judge_weights();  // throws Diverged

  // Evaluates on the dev pairs, once per step. True: the model is the best so far by some metric.
  bool evaluate();
  // Logs one translation.
  void show_sample();

  void forget() { judged_ = -1; }  // the weights were replaced

 private:
  Run& run_;
  Observers& observers_;
  int64_t judged_ = -1;  // the step whose weights passed
};

}  // namespace verbund
