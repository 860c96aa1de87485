#include "plan/prediction.h"

#include <algorithm>

#include "collectives/exchange_tuner.h"
#include "plan/memory_needs.h"

namespace verbund {
namespace {

constexpr size_t kBucketOfGpus = 64 * kChunk;  // more than two by NCCL: always that
constexpr double kNoticed = 0.05;              // share of a step worth a word
constexpr int kMostRows = 16;                  // of more workers, powers of two are predicted, and all of them

// By NCCL from GPU to GPU, or by the hosts?
bool forms_ring(const Config& config, const ComputeRates& compute) {
  if (!compute.gpu || config.workers.transport == Exchange::kMpi) return false;
  return config.workers.transport == Exchange::kNccl || config.workers.wire == Wire::kFp32;
}

std::vector<size_t> buckets_to_try(const Config& config, const ExchangeLayout& layout) {
  if (config.workers.bucket_kb > 0) {
    const size_t values = static_cast<size_t>(config.workers.bucket_kb) * 1024 / sizeof(float);
    return {std::max<size_t>(1, (values + kChunk / 2) / kChunk) * kChunk};
  }
  if (layout.ring && layout.workers > 2) return {kBucketOfGpus};
  return {std::begin(kTriedBuckets), std::end(kTriedBuckets)};  // as the first steps of a training do
}

}  // namespace

Prediction predict(const Scenario& scenario, BatchSource& batches, int workers) {
  const Config& config = scenario.config;
  const VocabularySizes sizes = batches.vocabularies();
  const ParameterTable table(config.model, sizes);
  const BatchFacts facts = batches.facts(config, workers);
  const bool rows_apart = !scenario.compute.gpu;
  const auto stages = [&](const TokenCounts& tokens) { return work_stages(config.model, sizes, tokens, rows_apart); };

  ExchangeLayout layout = ExchangeLayout::of(scenario.hosts, workers);
  layout.ring = forms_ring(config, scenario.compute);
  StepToSimulate step;
  step.stages = stages(facts.last);
  step.before = seconds_of(stages(facts.worker), scenario.compute) - seconds_of(step.stages, scenario.compute);
  step.order = gradient_order(config.model, table, rows_apart);
  step.weights = static_cast<double>(table.count());
  step.value_bytes = layout.ring ? 4 : wire_bytes(config.workers.wire);
  step.row_value_bytes = std::max(step.value_bytes, wire_bytes(Wire::kBf16));
  step.distinct_tokens = {facts.distinct_target, facts.distinct_source};  // kTargetLookup, kSourceLookup
  step.sharded = config.workers.shard_optimizer;

  Prediction prediction;
  prediction.workers = workers;
  prediction.hosts = layout.hosts;
  prediction.source_tokens = facts.source_tokens;
  prediction.target_tokens = facts.target_tokens;
  prediction.steps_per_epoch = facts.steps_per_epoch;
  prediction.memory_bytes = memory_of_worker(config, sizes, facts, layout, scenario.compute.gpu);
  ExchangeRates rates = scenario.exchange;
  if (scenario.compute.gpu && !layout.ring) rates.memory = ExchangeRates().memory;  // their hosts add up
  for (const size_t bucket : buckets_to_try(config, layout)) {
    const SimulatedStep simulated = simulate_step(step, layout, scenario.compute, rates, bucket);
    if (prediction.bucket_bytes > 0 && simulated.seconds >= prediction.step.seconds) continue;
    prediction.step = simulated;
    prediction.bucket_bytes = static_cast<double>(bucket * sizeof(float));
  }
  return prediction;
}

std::vector<Prediction> predict_all(const Scenario& scenario, BatchSource& batches) {
  std::vector<Prediction> predictions;
  const int all = total_slots(scenario.hosts);
  for (int workers = 1; workers <= all; ++workers) {
    const bool shown = all <= kMostRows || (workers & (workers - 1)) == 0 || workers == all;
    if (shown) predictions.push_back(predict(scenario, batches, workers));
  }
  return predictions;
}

double efficiency(const Prediction& prediction, const Prediction& alone) {
  return prediction.tokens_per_second() / (prediction.workers * alone.tokens_per_second());
}

LimitFound find_limit(const Prediction& prediction) {
  const SimulatedStep& step = prediction.step;
  LimitFound found;
  const double waited = step.exposed / step.seconds, updated = step.update / step.seconds;
  if (waited < kNoticed && updated < 0.25) {
    found.share = step.compute / step.seconds;
    found.sentence =
        prediction.workers == 1
            ? "computation: there is nobody to wait for"
            : fmt::format("computation: the exchange is hidden but for {:.1f} % of the step", 100 * waited);
  } else if (waited < updated) {
    found = {Limit::kUpdate, updated,
             fmt::format("the update of the weights, {:.0f} % of the step: the batch is small for the model",
                         100 * updated)};
  } else if (prediction.hosts == 1) {
    found = {Limit::kMemory, waited,
             fmt::format("summing in the host's memory, waited for {:.0f} % of the step", 100 * waited)};
  } else if (step.latency > 0.5 * step.exchange) {
    found = {Limit::kNetworkLatency, waited,
             fmt::format("the network's latency: {} pieces of the gradient, waited for {:.0f} % of the step",
                         step.buckets, 100 * waited)};
  } else {
    found = {Limit::kNetworkRate, waited,
             fmt::format("the network's rate: each host sends {:.1f} MB a step, waited for {:.0f} % of it",
                         step.sent_bytes / 1e6, 100 * waited)};
  }
  return found;
}

}  // namespace verbund
