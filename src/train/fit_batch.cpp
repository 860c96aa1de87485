// SPDX-License-Identifier: Apache-2.0
// The automatic batch size, see train/run_opening.h.
#include "core/error.h"
#include "core/human.h"
#include "core/log.h"
#include "core/process.h"
#include "core/progress.h"
#include "model/transformer.h"
#include "optim/ema.h"
#include "optim/optimizer.h"
#include "train/run_opening.h"

namespace verbund {
namespace {

constexpr int64_t kMaxTokens = 1 << 19;
constexpr double kShareOfFree = 0.8;

// The memory of attention grows with the square of a sentence's length: the longest sentences are the worst case. All
// tokens occur, because a GPU sums the gradients of one token sequentially.
Batch longest_pairs(int64_t pairs, int64_t length, int64_t vocabulary) {
  Batch batch;
  for (int64_t i = 0; i < pairs * length; ++i) batch.source.push_back(static_cast<TokenId>(i % vocabulary));
  batch.target_input = batch.target_output = batch.source;
  for (int64_t i = 0; i < pairs; ++i) {
    batch.source_offsets.push_back(static_cast<int32_t>((i + 1) * length));
    batch.sentence_ids.push_back(static_cast<uint64_t>(i));
  }
  batch.target_offsets = batch.source_offsets;
  batch.longest_source = batch.longest_target = static_cast<int32_t>(length);
  return batch;
}

// The workers of a host share its memory; a GPU has one worker.
uint64_t fair_limit(Device& device, int workers) {
  const double free = static_cast<double>(device.is_host() ? free_memory() : device.memory().free);
  return static_cast<uint64_t>(kShareOfFree * free / (device.is_host() ? workers : 1));
}

}  // namespace

int64_t tokens_that_fit(Device& device, const Config& config, VocabularySizes vocabularies, int workers) {
  const std::string& requested = config.batch.memory_limit;
  const uint64_t limit = requested.empty() ? fair_limit(device, workers) : parse_bytes(requested);
  const auto model = make_fused_transformer(device, config.model, vocabularies);
  change_on_host(model->weights().write(), [&](std::span<float> values) { model->table().initialize(1, values); });
  const size_t weights = model->weights().size();
  const auto optimizer = make_optimizer(device, config.optimizer, weights);
  WeightEma average(device, config.average, weights);
  const size_t saved = 1 + optimizer->state().size() + (average.enabled() ? 1 : 0);
  const bool copies = config.checkpoint.asynchronous && device.is_host();  // those of a GPU are in host memory
  const bool rounds = config.workers.has_rounds() && device.is_host();     // the outer step is the host's work
  const size_t outer = !rounds ? 0 : config.workers.sync_delay > 0 ? 5 : 3;
  const uint64_t copy = ((copies ? saved : 0) + outer) * weights * sizeof(float);

  const int64_t length = config.batch.max_length;
  const auto try_step = [&](int64_t pairs) {
    // A device keeps its memory; the second time, the activations are in one block.
    for (int time = 0; time < (device.is_host() ? 1 : 2); ++time) {
      model->accumulate(longest_pairs(pairs, length, std::min(vocabularies.source, vocabularies.target)), {1, 1, true});
      optimizer->step(model->weights(), model->gradients(), 0, 0);
    }
  };
  const auto tell = [&](int64_t pairs) {
    log("batch.tokens: auto: {} tokens a side fit into {}", human_count(static_cast<uint64_t>(pairs * length)),
        human_bytes(limit));
    return pairs * length;
  };
  // Tries one, two, four ... longest pairs. Memory grows linearly, which predicts the next before it is tried.
  double before = 0, now = 0;
  Progress progress("batch.tokens: auto", 0, "tokens");
  for (int64_t pairs = 1;; pairs *= 2) {
    progress.waiting(fmt::format("trying {} tokens a side", human_count(static_cast<uint64_t>(pairs * length))));
    reset_peak_memory();
    try {
      try_step(pairs);
    } catch (const OutOfMemory&) {  // GPU memory is allocated in blocks, and others may use it
      if (pairs == 1) throw;
      return tell(pairs / 2);
    }
    before = now;
    now = static_cast<double>((device.is_host() ? peak_memory() : device.memory().taken) + copy);
    if (pairs == 1 && now > static_cast<double>(limit)) {
      fail(
          "the memory limit is too small: training on one pair of {} tokens a side needs {}, but the limit is {}. "
          "Raise batch.memory_limit, or make batch.max_length or the model smaller.",
          length, human_bytes(static_cast<uint64_t>(now)), human_bytes(limit));
    }
    const double per_pair = pairs == 1 ? now : 2 * (now - before) / static_cast<double>(pairs);
    const bool next_fits = now + per_pair * static_cast<double>(pairs) <= static_cast<double>(limit);
    if (next_fits && 2 * pairs * length <= kMaxTokens) continue;
    const double more = per_pair > 0 ? (static_cast<double>(limit) - now) / per_pair : 0;
    return tell(pairs + std::clamp(static_cast<int64_t>(more), int64_t{0}, pairs));
  }
}

}  // namespace verbund
