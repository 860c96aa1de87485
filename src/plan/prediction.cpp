// SPDX-License-Identifier: Apache-2.0
#include "plan/prediction.h"

#include <algorithm>
#include <cmath>

#include "collectives/exchange_tuner.h"
#include "doctor/facts.h"

namespace verbund {
namespace {

constexpr size_t kBucketOfGpus = 64 * kChunk;  // of more than two GPUs with NCCL
constexpr double kNoticed = 0.05;              // share of a step worth mentioning
constexpr int kMaxRows = 16;                   // with more workers: powers of two, and all of them

// True if GPUs exchange directly by NCCL, false if the hosts exchange.
bool forms_ring(const Config& config, const ComputeRates& compute) {
  if (!compute.gpu || config.workers.transport == Exchange::kMpi || config.workers.has_rounds()) return false;
  return config.workers.transport == Exchange::kNccl || config.workers.wire == Wire::kFp32;
}

std::vector<size_t> buckets_to_try(const Config& config, const ExchangeLayout& layout) {
  if (config.workers.bucket_kb > 0) {
    const size_t values = static_cast<size_t>(config.workers.bucket_kb) * 1024 / sizeof(float);
    return {std::max<size_t>(1, (values + kChunk / 2) / kChunk) * kChunk};
  }
  if (layout.ring && layout.workers > 2) return {kBucketOfGpus};
  return {std::begin(kTriedBuckets), std::end(kTriedBuckets)};  // as the first steps of training do
}

constexpr double kProgram = 60e6;              // the program itself and pages of the dataset
constexpr double kLogitsOfCpu = 512;           // rows at a time, as in model/fused_transformer.cpp
constexpr double kBytesOfLogitsOfGpu = 2.6e8;  // 256 MiB at a time

// Floats per token kept for the backward pass, in multiples of d_model: each sublayer keeps its input after the norm
// and the sum before it; attention also queries, keys, values and their mix; feed-forward its hidden layer.
double widths_of_source(const ModelConfig& config) {
  const double hidden = static_cast<double>(config.d_ff) / static_cast<double>(config.d_model);
  return static_cast<double>(config.encoder_layers) * (4 + 4 + hidden) + 2 +
         static_cast<double>(config.decoder_layers) *
             4;  // keys and values of the decoder's layers, and their gradients
}
double widths_of_target(const ModelConfig& config) {
  const double hidden = static_cast<double>(config.d_ff) / static_cast<double>(config.d_model);
  return static_cast<double>(config.decoder_layers) * (6 + 4 + 2 + hidden) + 2;
}

// Attention weights: for each token and head, a row as long as the sentence.
double weights_of_attention(const ModelConfig& config, const TokenCounts& tokens) {
  const auto heads = static_cast<double>(config.heads);
  return heads * (static_cast<double>(config.encoder_layers) * tokens.source_pairs +
                  static_cast<double>(config.decoder_layers) * (tokens.target_pairs + tokens.cross_pairs));
}

// Steps as training counts them: whichever limit comes first.
double steps_of_training(const TrainConfig& train, double steps_per_epoch) {
  const double most = static_cast<double>(train.max_steps);
  const double of_epochs = static_cast<double>(train.epochs) * steps_per_epoch;
  return most > 0 && of_epochs > 0 ? std::min(most, of_epochs) : std::max(most, of_epochs);
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
  step.sync_every = config.workers.sync_every;
  step.sync_delay = config.workers.sync_delay;
  const double steps = steps_of_training(config.train, facts.steps_per_epoch);
  step.steps = static_cast<int64_t>(std::ceil(steps));

  Prediction prediction;
  prediction.workers = workers;
  prediction.hosts = layout.hosts;
  prediction.steps = steps;
  prediction.sync_every = config.workers.sync_every;
  prediction.source_tokens = facts.source_tokens;
  prediction.target_tokens = facts.target_tokens;
  prediction.steps_per_epoch = facts.steps_per_epoch;
  prediction.memory_bytes = memory_of_worker(config, sizes, facts, layout, scenario.compute.gpu);
  ExchangeRates rates = scenario.exchange;
  if (scenario.compute.gpu && !layout.ring) rates.memory = ExchangeRates().memory;  // the hosts sum
  for (const size_t bucket : buckets_to_try(config, layout)) {
    const SimulatedStep simulated = simulate_step(step, layout, scenario.compute, rates, bucket);
    if (prediction.bucket_bytes > 0 && simulated.seconds >= prediction.step.seconds) continue;
    prediction.step = simulated;
    prediction.bucket_bytes = static_cast<double>(bucket * sizeof(float));
  }
  return prediction;
}

std::string Prediction::exchange_times() const {
  if (sync_every == 1) return "per step";
  return steps > 0 && static_cast<double>(sync_every) >= steps ? "once, at the last step"
                                                               : fmt::format("every {} steps", sync_every);
}

std::vector<Prediction> predict_all(const Scenario& scenario, BatchSource& batches) {
  std::vector<Prediction> predictions;
  const int all = total_slots(scenario.hosts);
  for (int workers = 1; workers <= all; ++workers) {
    const bool shown = all <= kMaxRows || (workers & (workers - 1)) == 0 || workers == all;
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
        prediction.workers == 1 ? "computation: there is no other worker to wait for"
        : prediction.sync_every > 1
            ? fmt::format("computation: waiting for the exchanges takes {:.1f} % of the time", 100 * waited)
            : fmt::format("computation: the exchange is hidden except for {:.1f} % of the step", 100 * waited);
  } else if (waited < updated) {
    found = {Limit::kUpdate, updated,
             fmt::format("the update of the weights, {:.0f} % of the step: the batch is small for the model",
                         100 * updated)};
  } else if (prediction.hosts == 1) {
    found = {Limit::kMemory, waited,
             fmt::format("summing in the host's memory, which takes {:.0f} % of the step", 100 * waited)};
  } else if (step.latency > 0.5 * step.exchange) {
    found = {Limit::kNetworkLatency, waited,
             fmt::format("network latency: waiting for {} buckets takes {:.0f} % of {}", step.buckets, 100 * waited,
                         prediction.sync_every > 1 ? "the time" : "the step")};
  } else {
    found = {Limit::kNetworkRate, waited,
             fmt::format("network bandwidth: each host sends {:.1f} MB {}, and waiting for it takes {:.0f} % of {}",
                         step.sent_bytes / step.exchanges / 1e6, prediction.exchange_times(), 100 * waited,
                         prediction.sync_every > 1 ? "the time" : "the step")};
  }
  return found;
}

double memory_of_worker(const Config& config, VocabularySizes vocabularies, const BatchFacts& facts,
                        const ExchangeLayout& layout, bool gpu) {
  const ModelNeeds needs = needs_of_model(config, vocabularies, layout.workers, layout.hosts);
  const ModelConfig& model = config.model;
  const double both = std::max(1.0, facts.worker.source + facts.worker.target);
  const TokenCounts at_once = facts.worker * (facts.largest_micro_batch / both);
  const double floats = static_cast<double>(model.d_model) *
                        (at_once.source * widths_of_source(model) + at_once.target * widths_of_target(model));
  const bool half = gpu && (config.train.precision == Precision::kBf16 || config.train.precision == Precision::kFp16);
  // In 16 bits, activations that only GEMMs read are half as large; sums before a norm stay fp32.
  const double activations = (half ? 2.6 : 4) * floats + 4 * weights_of_attention(model, at_once);
  const auto pieces = static_cast<double>(vocabularies.target);
  const double logits = gpu ? kBytesOfLogitsOfGpu : 4 * pieces * std::min(at_once.target, kLogitsOfCpu);
  const double model_bytes = static_cast<double>(gpu ? needs.gpu_bytes : needs.worker_bytes);
  return model_bytes + activations + logits + (gpu ? 0 : kProgram);
}

}  // namespace verbund
