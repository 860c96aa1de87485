// SPDX-License-Identifier: Apache-2.0
// RunObserver is the interface of everything that follows a training run: the log, metrics.jsonl, TensorBoard, the step
// records, the history, the timeline. A new one is one file here and one line in train/observers.cpp. Every worker has
// observers; only those of worker 0 write to the run folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/step_times.h"
#include "core/json.h"
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
  double training_seconds = 0;  // in steps, over all parts of the run
  int64_t target_tokens = 0;    // the same, of all workers
  StepTimes times;
  Json mixture;  // values of the metrics, of a step that is logged
};

// One translation by the current model.
struct SampleSeen {
  int64_t step = 0;
  std::string source, reference, prediction;
};

// The evaluation of a dev set beside the main one.
struct ExtraDevSeen {
  const std::string& name;
  const Evaluation& dev;
  const TestSet& set;
};

struct EvaluationSeen {
  int64_t step = 0;
  double seconds = 0;
  const Evaluation& dev;
  const TestSet& set;
  bool averaged = false;  // the averaged weights were evaluated
  bool best = false;      // by some metric
  std::vector<ExtraDevSeen> extra = {};
};

// An event of the run's history, with its details: "start", "resume", "signal", "save", "evaluation", "stall",
// "lost_worker", "restart", "roll_back", ...
struct RunEvent {
  std::string event;
  int64_t step = 0;
  Json details = Json::object();
  std::string line;      // for the log; may be empty
  bool printed = false;  // on the console already
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;

  // The run starts, or continues after a roll-back, after this step: everything reported of later steps is undone.
  // -1: the run is new.
  virtual void begin(int64_t /*step*/) {}
  virtual void step(const StepSeen& /*seen*/) {}
  // No steps follow for a while: an evaluation, or a roll-back.
  virtual void pause() {}
  virtual void evaluation(const EvaluationSeen& /*seen*/) {}
  virtual void sample(const SampleSeen& /*seen*/) {}
  // A line of metrics.jsonl, with its "step" and "time".
  virtual void metrics(const Json& /*line*/) {}
  // May come from the watchdog's thread at any time; all other calls come from one thread.
  virtual void event(const RunEvent& /*event*/) {}
  // The last call. Everything must be on disk when it returns.
  virtual void end() {}
};

// Observers passes everything on to all observers of a run, in the order in which they were added.
class Observers : public RunObserver {
 public:
  Observers() = default;
  // Destroys them in reverse order: an observer may use those before it.
  ~Observers() override {
    while (!all_.empty()) all_.pop_back();
  }
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  void add(std::unique_ptr<RunObserver> observer) { all_.push_back(std::move(observer)); }

  void begin(int64_t step) override { tell(&RunObserver::begin, step); }
  void step(const StepSeen& seen) override { tell(&RunObserver::step, seen); }
  void pause() override { tell(&RunObserver::pause); }
  void evaluation(const EvaluationSeen& seen) override { tell(&RunObserver::evaluation, seen); }
  void sample(const SampleSeen& seen) override { tell(&RunObserver::sample, seen); }
  void metrics(const Json& line) override { tell(&RunObserver::metrics, line); }
  void event(const RunEvent& happened) override { tell(&RunObserver::event, happened); }
  void end() override { tell(&RunObserver::end); }

 private:
  template <typename Call, typename... What>
  void tell(Call call, const What&... what) {
    for (const auto& observer : all_) (observer.get()->*call)(what...);
  }

  std::vector<std::unique_ptr<RunObserver>> all_;
};

}  // namespace verbund
