// SPDX-License-Identifier: Apache-2.0
// TrainingPlan predicts a training run for 1 .. N workers: duration, cost, bottleneck, and settings that would help;
// shown as a table or as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "page/page.h"
#include "plan/prediction.h"
#include "report/run_data.h"

namespace verbund {

struct Advice {
  std::string setting;  // "workers.wire=bf16"
  std::string meaning;  // effect and cost
  double gain = 0;      // of throughput: 0.25 is a quarter more
  double step_seconds = 0;
  double memory_bytes = 0;     // per worker, with the setting
  bool another_batch = false;  // a step trains on more tokens, which changes what is learned
};

// Tries each setting that could help in the simulation, with all workers of the scenario. Returns those that gain at
// least 1 %, the best first.
std::vector<Advice> advise(const Scenario& scenario, BatchSource& batches, const Prediction& now);

// Measured and predicted step time of a run.
struct MeasuredRun {
  std::string run;
  double predicted = 0, measured = 0;  // seconds of a step

  double error() const { return predicted / measured - 1; }
};

struct TrainingPlan {
  Scenario scenario;
  std::string batches;  // source of the facts about batches
  bool batches_assumed = false;
  double parameters = 0;
  std::vector<Prediction> predictions;  // the last is for all workers
  LimitFound limit;
  std::vector<Advice> advice;
  double steps = 0;          // of the whole training; 0: not known
  std::string steps_reason;  // "train.max_steps", "3 epochs of 1,200 steps", or why they are not known
  double price = 0;          // per host and hour; 0: not given
  std::optional<MeasuredRun> comparison;

  const Prediction& all() const { return predictions.back(); }
  double seconds() const { return steps * all().step.seconds; }
  double money() const { return price * all().hosts * seconds() / 3600; }
};

// Refuses batch.tokens=auto, whose value only training finds.
void expect_batch_tokens(const Config& config);

TrainingPlan make_plan(const Scenario& scenario, BatchSource& batches, double price);

// The table of predictions is at most `columns` wide; other rows are as long as they are.
std::string plan_table(const TrainingPlan& plan, size_t columns);
Json plan_json(const TrainingPlan& plan);

// A section of a run's page: throughput with more workers, and settings that would help, simulated from its record.
// Without blocks if a simulation is impossible: too few steps on record, or the dataset is gone.
Section scaling_section(const RunData& run);

}  // namespace verbund
