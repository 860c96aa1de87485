// Whoever wants to know what a training run does: the log, metrics.jsonl, TensorBoard, the step records, the history,
// the timeline. A new one is one file here and one line where the run's observers are made (train/observers.cpp).
// Every worker has observers; those that write the run folder are worker 0's alone.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collectives/step_times.h"
#include "model/transformer.h"

namespace verbund {

struct Evaluation;
struct TestSet;

struct StepSeen {
  int64_t step = 0;  // steps done, this one included
  double began = 0;  // seconds since 1970 on the clock of worker 0
  double epoch = 0;  // passes over the data, with a fraction
  Loss loss;         // of all workers
  Loss own;          // of this one
  double rate = 0, gradient_norm = 0;
  bool updated = true;          // false: the gradient was not finite
  double training_seconds = 0;  // in steps, since the beginning of the run, over all its parts
  int64_t target_tokens = 0;    // the same: of all workers
  StepTimes times;
};

// One translation of the model as it is now.
struct SampleSeen {
  int64_t step = 0;
  std::string source, reference, prediction;
};

struct EvaluationSeen {
  int64_t step = 0;
  double seconds = 0;
  const Evaluation& dev;
  const TestSet& set;
  bool averaged = false;  // the exponential average was judged
  bool best = false;      // by some metric
};

// Something of the run's history: "start", "resume", "signal", "save", "evaluation", "stall", "lost_worker",
// "restart", "roll_back", ... with what belongs to it.
struct RunEvent {
  std::string event;
  int64_t step = 0;
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
  std::string line;      // what the log says of it; may be empty
  bool printed = false;  // on the console, already
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;

  // The run goes on after this step, at its start or after a roll-back: what was told of later steps is undone.
  // -1: it begins anew, nothing was told.
  virtual void begin(int64_t /*step*/) {}
  virtual void step(const StepSeen& /*seen*/) {}
  // No steps for a while: an evaluation, or a roll-back.
  virtual void pause() {}
  virtual void evaluation(const EvaluationSeen& /*seen*/) {}
  virtual void sample(const SampleSeen& /*seen*/) {}
  // A line of metrics.jsonl, with its "step" and "time".
  virtual void metrics(const nlohmann::ordered_json& /*line*/) {}
  // May come from the watch's thread, at any time; all other calls come from one thread.
  virtual void event(const RunEvent& /*event*/) {}
  // The last call: no more steps. Everything is to be on disk when it returns.
  virtual void end() {}
};

}  // namespace verbund
