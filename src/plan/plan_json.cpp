// The plan for programs.
#include <nlohmann/json.hpp>

#include "plan/plan.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

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
          {"update_seconds", p.step.update},
          {"rest_seconds", p.step.seconds - p.step.compute - p.step.exposed - p.step.update},
          {"bytes_sent_per_host", p.step.sent_bytes},
          {"buckets", p.step.buckets},
          {"bucket_bytes", p.bucket_bytes},
          {"memory_bytes_per_worker", p.memory_bytes}};
}

}  // namespace

Json plan_json(const TrainingPlan& plan) {
  const Scenario& scenario = plan.scenario;
  Json json = {{"parameters", plan.parameters},
               {"target_tokens_per_step", plan.all().target_tokens},
               {"source_tokens_per_step", plan.all().source_tokens},
               {"batches", plan.batches},
               {"batches_assumed", plan.batches_assumed},
               {"compute", {{"source", scenario.compute.source}, {"measured", !scenario.compute.named}}}};
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
