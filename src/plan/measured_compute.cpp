// SPDX-License-Identifier: Apache-2.0
#include "plan/measured_compute.h"

#include <omp.h>

#include <algorithm>
#include <chrono>

#include "core/elapsed.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/machine.h"
#include "core/progress.h"
#include "core/random.h"
#include "cuda/open_device.h"
#include "model/transformer.h"
#include "optim/optimizer.h"
#include "resources/other_load.h"

namespace verbund {
namespace {

constexpr double kLongEnough = 2;         // seconds per pass
constexpr int64_t kFirstTokens = 256;     // target tokens of the first try
constexpr int kPasses = 2, kUpdates = 2;  // the fastest counts

// The first sentences, up to so many target tokens.
Batch head_of(const Batch& batch, int64_t tokens) {
  Batch head;
  for (size_t i = 0; i < batch.sentences(); ++i) {
    if (i > 0 && static_cast<int64_t>(head.target_tokens()) >= tokens) break;
    const auto begin = [](const std::vector<int32_t>& offsets, size_t n) { return offsets[n]; };
    for (int32_t k = begin(batch.source_offsets, i); k < begin(batch.source_offsets, i + 1); ++k) {
      head.source.push_back(batch.source[static_cast<size_t>(k)]);
    }
    for (int32_t k = begin(batch.target_offsets, i); k < begin(batch.target_offsets, i + 1); ++k) {
      head.target_input.push_back(batch.target_input[static_cast<size_t>(k)]);
      head.target_output.push_back(batch.target_output[static_cast<size_t>(k)]);
    }
    head.source_offsets.push_back(static_cast<int32_t>(head.source.size()));
    head.target_offsets.push_back(static_cast<int32_t>(head.target_output.size()));
    head.sentence_ids.push_back(batch.sentence_ids[i]);
  }
  head.longest_source = batch.longest_source;
  head.longest_target = batch.longest_target;
  return head;
}

// Seconds of the fastest of some rounds.
template <typename Work>
double fastest(int rounds, Work work) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    check_interrupt();
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

}  // namespace

TokenCounts counts_of(const Batch& batch) {
  TokenCounts counts;
  for (size_t i = 0; i < batch.sentences(); ++i) {
    const double source = batch.source_offsets[i + 1] - batch.source_offsets[i];
    const double target = batch.target_offsets[i + 1] - batch.target_offsets[i];
    counts += {source, target, source * source, target * target, source * target};
  }
  return counts;
}

Batch typical_batch(BatchesOfDataset& batches, const Config& config, int workers) {
  const BatchPlan& plan = batches.plan_of(config);
  const std::vector<uint32_t> pairs = plan.batch({0, plan.batches(0) / 2});
  std::vector<uint32_t> own = slice(pairs, plan.set(), workers).front();
  // A slice is sorted by length; shuffled, a part of it is representative.
  Random random(1, 0);
  shuffle(own.begin(), own.end(), random);
  Batch batch;
  fill(batch, plan.set(), micro_batches(own, plan.set(), config.train.micro_batch_tokens).front());
  return batch;
}

Batch made_batch(VocabularySizes vocabularies, int64_t length, int64_t tokens) {
  Random random(1, 0);
  Batch batch;
  const auto token = [&](int64_t vocabulary) {
    return static_cast<TokenId>(random.below(static_cast<uint64_t>(vocabulary)));
  };
  for (uint64_t name = 0; static_cast<int64_t>(batch.target_tokens()) < tokens; ++name) {
    Sentence source, target;
    for (int64_t i = 1; i < length; ++i) {
      source.push_back(token(vocabularies.source));
      target.push_back(token(vocabularies.target));
    }
    append(batch, source, target, name);
  }
  return batch;
}

ComputeRates measure_compute(const Config& config, VocabularySizes vocabularies, const Batch& batch, int threads) {
  const std::vector<int> cores = allowed_cores();
  const OtherLoad others(cores);
  omp_set_num_threads(threads);
  const auto device = open_device({config.device, config.train.precision});
  const auto model = make_fused_transformer(*device, config.model, vocabularies);
  change_on_host(model->weights().write(), [&](std::span<float> values) { model->table().initialize(1, values); });
  const auto optimizer = make_optimizer(*device, config.optimizer, model->weights().size());
  Progress progress("measuring", 0, "tokens");

  double seconds = 0;
  Batch tried;
  for (int64_t tokens = kFirstTokens;; tokens *= 2) {
    tried = head_of(batch, tokens);
    progress.waiting(fmt::format("training on {} tokens", human_count(tried.target_tokens())));
    seconds = fastest(kPasses, [&] { model->accumulate(tried, {1, 1, true}); });
    if (seconds >= kLongEnough || tried.sentences() == batch.sentences()) break;
  }
  // Evaluating one token synchronizes with the device.
  const Batch one = head_of(batch, 1);
  const double alone = fastest(kUpdates, [&] { model->evaluate(one); });
  const double update = fastest(kUpdates, [&] {
    optimizer->step(model->weights(), model->gradients(), 0, 0);
    model->gradients().zero();
    model->evaluate(one);
  });
  const auto stages = work_stages(config.model, vocabularies, counts_of(tried));
  const auto weights = static_cast<double>(model->table().count());
  ComputeRates rates = rates_of_cpu(stages, seconds, weights, std::max(1e-6, update - alone));
  rates.gpu = !device->is_host();
  rates.threads = threads;
  rates.source = fmt::format("measured here, {}: {:.0f} target tokens/s forward and backward",
                             rates.gpu ? "on its GPU" : fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"),
                             static_cast<double>(tried.target_tokens()) / seconds);
  const double used = others.cores_used();
  if (is_crowded(threads, static_cast<double>(cores.size()), used)) {
    rates.load = other_load_text("used", used, cores.size(), load_average());
  }
  return rates;
}

}  // namespace verbund
