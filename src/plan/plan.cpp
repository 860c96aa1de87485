// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <algorithm>

#include "core/error.h"
#include "core/human.h"

namespace verbund {
namespace {

void check_network(const Scenario& scenario) {
  if (scenario.hosts.size() == 1 || scenario.exchange.link > 0) return;
  fail_usage(
      "the network between {} is unknown: give --link 1gbit (and --latency 0.2ms), --measure, or --run of a training "
      "over a network",
      describe_hosts(scenario.hosts));
}

// As training counts them: whichever limit comes first.
void find_steps(TrainingPlan& plan) {
  const TrainConfig& train = plan.scenario.config.train;
  const double epoch = plan.all().steps_per_epoch;
  if (train.max_steps > 0) {
    plan.steps = static_cast<double>(train.max_steps);
    plan.steps_reason = "train.max_steps";
  }
  if (train.epochs > 0 && epoch > 0) {
    const double steps = static_cast<double>(train.epochs) * epoch;
    if (plan.steps > 0 && plan.steps <= steps) return;
    plan.steps = steps;
    plan.steps_reason = fmt::format("{} epochs of {} steps", train.epochs, human_count(static_cast<uint64_t>(epoch)));
  } else if (plan.steps == 0) {
    plan.steps_reason = train.epochs > 0 ? "the number of steps per epoch depends on the dataset: give --data"
                                         : "set train.max_steps or train.epochs";
  }
}

}  // namespace

void expect_batch_tokens(const Config& config) {
  if (config.batch.tokens != kAutomatic) return;
  fail_usage("batch.tokens is auto, which only training finds out: give a number with --set batch.tokens=N");
}

TrainingPlan make_plan(const Scenario& scenario, BatchSource& batches, double price) {
  expect_batch_tokens(scenario.config);
  check_workers(scenario.config.workers);
  check_network(scenario);
  TrainingPlan plan;
  plan.scenario = scenario;
  plan.batches = batches.source();
  plan.batches_assumed = batches.assumed();
  plan.parameters = static_cast<double>(ParameterTable(scenario.config.model, batches.vocabularies()).count());
  plan.predictions = predict_all(scenario, batches);
  plan.limit = find_limit(plan.all());
  plan.advice = advise(scenario, batches, plan.all());
  plan.price = price;
  find_steps(plan);
  return plan;
}

}  // namespace verbund
