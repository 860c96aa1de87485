// The whole plan: predictions for 1 .. N workers, how long and how dear the training would be, what limits it and what
// would help; as a table for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plan/advice.h"
#include "plan/prediction.h"

namespace verbund {

// A run that was measured, beside what is predicted of it.
struct MeasuredRun {
  std::string run;
  double predicted = 0, measured = 0;  // seconds of a step

  double error() const { return predicted / measured - 1; }
};

struct TrainingPlan {
  Scenario scenario;
  std::string batches;  // where their facts come from
  bool batches_assumed = false;
  double parameters = 0;
  std::vector<Prediction> predictions;  // the last one is that of all workers
  LimitFound limit;
  std::vector<Advice> advice;
  double steps = 0;          // to train; 0: not known
  std::string steps_reason;  // "train.max_steps", "3 epochs of 1,200 steps", or why they are not known
  double price = 0;          // of a host, for an hour; 0: not given
  std::optional<MeasuredRun> comparison;

  const Prediction& all() const { return predictions.back(); }
  double seconds() const { return steps * all().step.seconds; }
  double money() const { return price * all().hosts * seconds() / 3600; }
};

// Refuses batch.tokens=auto: nobody knows before what it will be.
void expect_batch_tokens(const Config& config);

TrainingPlan make_plan(const Scenario& scenario, BatchSource& batches, double price);

std::string plan_table(const TrainingPlan& plan);
nlohmann::ordered_json plan_json(const TrainingPlan& plan);

}  // namespace verbund
