// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <algorithm>

#include "core/error.h"
#include "core/human.h"

namespace verbund {
namespace {

void check_network(const Scenario& scenario) {
  if (scenario.hosts.size() == 1 || scenario.exchange.link > 0) return;
  const std::string hosts = describe_hosts(scenario.hosts), &why = scenario.exchange.unknown;
  if (!why.empty()) {
    fail_usage(
        "the network between {} is unknown, because {}: give --link 1gbit (and --latency 0.2ms) or --doctor FILE",
        hosts, why);
  }
  fail_usage(
      "the network between {} is unknown: give --link 1gbit (and --latency 0.2ms), --measure, or --run of a training "
      "over a network",
      hosts);
}

// The limit that sets the number of steps, or why it is not known.
std::string reason_of_steps(const Prediction& all, const TrainConfig& train) {
  if (all.steps == 0) {
    return train.epochs > 0 ? "the number of steps per epoch depends on the dataset: give --data"
                            : "set train.max_steps or train.epochs";
  }
  if (all.steps == static_cast<double>(train.max_steps)) return "train.max_steps";
  return fmt::format("{} epochs of {} steps", train.epochs, human_count(static_cast<uint64_t>(all.steps_per_epoch)));
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
  plan.steps = plan.all().steps;
  plan.steps_reason = reason_of_steps(plan.all(), scenario.config.train);
  return plan;
}

}  // namespace verbund
