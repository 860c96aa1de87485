// SPDX-License-Identifier: Apache-2.0
// The plan as a table for people, and as JSON for programs.

#include "core/columns.h"
#include "core/human.h"
#include "core/json.h"
#include "plan/plan.h"

namespace verbund {
namespace {

std::string row(const char* head, const std::string& text) { return fmt::format("{:<11} {}\n", head, text); }

std::string with_origin(const std::string& source, bool named) { return named ? source + "; not measured" : source; }

std::string megabytes(double bytes) { return bytes < 1 ? "-" : human_bytes(static_cast<uint64_t>(bytes)); }

// At least two significant digits, however short a step is.
std::string seconds(double value) {
  if (value == 0) return "-";
  return value < 0.1 ? fmt::format("{:.4f}", value) : fmt::format("{:.3f}", value);
}

std::string table(const TrainingPlan& plan, size_t columns) {
  std::vector<std::vector<std::string>> rows = {{"workers", "hosts", "s/step", "tokens/s", "effic.", "compute",
                                                 "exchange", "waited", "update", "host sends", "memory"}};
  for (const Prediction& p : plan.predictions) {
    rows.push_back({std::to_string(p.workers), std::to_string(p.hosts), seconds(p.step.seconds),
                    human_count(static_cast<uint64_t>(p.tokens_per_second())),
                    fmt::format("{:.1f} %", 100 * efficiency(p, plan.predictions.front())), seconds(p.step.compute),
                    seconds(p.step.exchange), seconds(p.step.exposed), seconds(p.step.update),
                    megabytes(p.step.sent_bytes), megabytes(p.memory_bytes)});
  }
  return layout_table(rows, columns);
}

std::string duration(const TrainingPlan& plan) {
  if (plan.steps == 0) return row("time", "not known: " + plan.steps_reason);
  std::string text =
      fmt::format("{} steps ({}) take {}, without evaluations and checkpoints",
                  human_count(static_cast<uint64_t>(plan.steps)), plan.steps_reason, human_duration(plan.seconds()));
  if (plan.price > 0) {
    text += fmt::format("; at {:g} per host and hour they cost {:.2f}", plan.price, plan.money());
  }
  return row("time", text);
}

std::string advice_rows(const TrainingPlan& plan) {
  if (plan.advice.empty()) return row("advice", "no setting would gain 1 % of throughput");
  std::string text;
  for (const Advice& advice : plan.advice) {
    text += row(text.empty() ? "would help" : "",
                fmt::format("{:+6.1f} %  {:<34}  {} s per step, {} per worker{}", 100 * advice.gain, advice.setting,
                            seconds(advice.step_seconds), megabytes(advice.memory_bytes),
                            advice.another_batch ? "; a larger batch changes what is learned" : ""));
    text += fmt::format("{:23}{}\n", "", advice.meaning);
  }
  return text;
}

constexpr const char* kLimitNames[] = {"compute", "update", "network rate", "network latency", "memory"};

Json json_of(const Prediction& p, const Prediction& alone) {
  return {{"workers", p.workers},
          {"hosts", p.hosts},
          {"seconds_per_step", p.step.seconds},
          {"tokens_per_second", p.tokens_per_second()},
          {"efficiency", efficiency(p, alone)},
          {"compute_seconds", p.step.compute},
          {"exchange_seconds", p.step.exchange},
          {"exchange_latency_seconds", p.step.latency},
          {"exposed_seconds", p.step.exposed},
          {"sum_seconds", p.step.sum},
          {"update_seconds", p.step.update},
          {"rest_seconds", p.step.seconds - p.step.compute - p.step.exposed - p.step.update},
          {"bytes_sent_per_host", p.step.sent_bytes},
          {"buckets", p.step.buckets},
          {"bucket_bytes", p.bucket_bytes},
          {"memory_bytes_per_worker", p.memory_bytes}};
}

}  // namespace

std::string plan_table(const TrainingPlan& plan, size_t columns) {
  const Scenario& scenario = plan.scenario;
  const WorkersConfig& workers = scenario.config.workers;
  std::string text =
      row("model", fmt::format("{:.1f} M parameters, {} of {} in {}{}", plan.parameters / 1e6,
                               workers.has_rounds() ? "changes of weights" : "gradients",
                               megabytes(4 * plan.parameters), kWireNames[static_cast<size_t>(workers.wire)],
                               workers.has_rounds() ? ", exchanged " + plan.all().exchange_times() : "")) +
      row("workers",
          fmt::format("{} on {}", describe_workers(total_slots(scenario.hosts)), describe_hosts(scenario.hosts))) +
      row("batches", fmt::format("{:.0f} target and {:.0f} source tokens per step; {}", plan.all().target_tokens,
                                 plan.all().source_tokens, plan.batches)) +
      row("computing", with_origin(scenario.compute.source, scenario.compute.named)) +
      (scenario.compute.load.empty()
           ? ""
           : row("warning",
                 scenario.compute.load + " meanwhile: this plan is of a busy machine; measure an idle one")) +
      row("network", scenario.hosts.size() > 1 ? with_origin(scenario.exchange.source, scenario.exchange.named)
                                               : "not needed: all workers are on one host");
  text += "\n" + table(plan, columns) + "\n";
  text += row("bottleneck", plan.limit.sentence) + duration(plan);
  if (plan.comparison) {
    const MeasuredRun& c = *plan.comparison;
    text += row("compared", fmt::format("{}, same layout: predicted {} s per step, measured {} s ({:+.1f} %)", c.run,
                                        seconds(c.predicted), seconds(c.measured), 100 * c.error()));
  }
  return text + advice_rows(plan);
}

Json plan_json(const TrainingPlan& plan) {
  const Scenario& scenario = plan.scenario;
  Json json = {{"parameters", plan.parameters},
               {"target_tokens_per_step", plan.all().target_tokens},
               {"source_tokens_per_step", plan.all().source_tokens},
               {"sync_every", scenario.config.workers.sync_every},
               {"batches", plan.batches},
               {"batches_assumed", plan.batches_assumed},
               {"compute", {{"source", scenario.compute.source}, {"measured", !scenario.compute.named}}}};
  if (!scenario.compute.load.empty()) json["compute"]["load"] = scenario.compute.load;
  if (scenario.hosts.size() > 1) {
    json["network"] = {{"source", scenario.exchange.source},
                       {"measured", !scenario.exchange.named},
                       {"bytes_per_second", scenario.exchange.link},
                       {"round_trip_seconds", scenario.exchange.round_trip}};
  }
  json["predictions"] = Json::array();
  for (const Prediction& p : plan.predictions) json["predictions"].push_back(json_of(p, plan.predictions.front()));
  json["limit"] = {{"what", kLimitNames[static_cast<size_t>(plan.limit.limit)]},
                   {"share_of_step", plan.limit.share},
                   {"sentence", plan.limit.sentence}};
  json["training"] = {{"steps", plan.steps}, {"reason", plan.steps_reason}};
  if (plan.steps > 0) json["training"]["seconds"] = plan.seconds();
  if (plan.steps > 0 && plan.price > 0) json["training"]["money"] = plan.money();
  if (plan.comparison) {
    json["comparison"] = {{"run", plan.comparison->run},
                          {"predicted_seconds_per_step", plan.comparison->predicted},
                          {"measured_seconds_per_step", plan.comparison->measured},
                          {"error", plan.comparison->error()}};
  }
  json["advice"] = Json::array();
  for (const Advice& advice : plan.advice) {
    json["advice"].push_back({{"setting", advice.setting},
                              {"meaning", advice.meaning},
                              {"gain", advice.gain},
                              {"seconds_per_step", advice.step_seconds},
                              {"memory_bytes_per_worker", advice.memory_bytes},
                              {"another_batch", advice.another_batch}});
  }
  return json;
}

}  // namespace verbund
