// How good the model is as it is now: judged before anything is made of its weights, and evaluated on the dev pairs.
#pragma once

#include "evaluate/evaluation.h"
#include "record/observers.h"
#include "train/run.h"

namespace verbund {

// The weights of this step have a loss that is not finite or explodes. Thrown by all workers.
struct Diverged {
  std::string trouble;
};

class Evaluator {
 public:
  Evaluator(Run& run, Observers& observers) : run_(run), observers_(observers) {}

  // A step's loss judges the weights of the step before it. So, before weights are evaluated or saved, the next batch
  // judges them: what is on disk is good, however the run ends. Returns what is wrong with them, or "".
  std::string trouble_with_weights();
  void judge_weights();  // throws Diverged

  // On the dev pairs, once for each step. True: the model is the best so far by some metric.
  bool evaluate();
  // One translation, for the log.
  void show_sample();

  void forget() { judged_ = -1; }  // the weights are others now

 private:
  Run& run_;
  Observers& observers_;
  int64_t judged_ = -1;  // the step whose weights were found good
};

}  // namespace verbund
