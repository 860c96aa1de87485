// SPDX-License-Identifier: Apache-2.0
#include "doctor/facts.h"

#include "launch/job_settings.h"

namespace verbund {
namespace {

int64_t buffers_of(const OptimizerConfig& config) {
  if (config.type == OptimizerType::kSgd) return config.momentum > 0 ? 1 : 0;
  return 2;  // Adam and its variants: mean and mean square of the gradient
}

}  // namespace

ModelNeeds needs_of_model(const Config& config, VocabularySizes vocabularies, int workers, int hosts) {
  const ParameterTable table(config.model, vocabularies);
  const auto buffer = static_cast<uint64_t>(table.buffer_size()) * sizeof(float);
  const auto state = static_cast<uint64_t>(buffers_of(config.optimizer)) * buffer;
  const uint64_t average = config.average.decay > 0 ? buffer : 0;
  // Residuals of rounding to int8: each host keeps as much as a gradient, shared among its workers.
  const bool leaves_residuals = config.workers.wire == Wire::kInt8 && hosts > 1;
  const uint64_t residuals = leaves_residuals ? buffer * static_cast<uint64_t>(hosts) : 0;
  // Rounds of local steps: outer weights, their changes and the momentum; with a delay also what was sent and is ahead.
  // The checkpoint has the momentum, and of each worker its state and what it is ahead.
  const bool rounds = config.workers.has_rounds();
  const bool delayed = config.workers.sync_delay > 0;
  const uint64_t outer = rounds ? buffer * (delayed ? 5 : 3) : 0;
  const uint64_t of_workers = rounds ? static_cast<uint64_t>(workers) * (state + (delayed ? buffer : 0)) : 0;
  ModelNeeds needs;
  needs.parameters = table.count();
  needs.gradient_bytes = buffer;
  const uint64_t own_state = config.workers.shard_optimizer ? state / static_cast<uint64_t>(workers) : state;
  const uint64_t on_gpu = 2 * buffer + own_state + average;  // weights and gradient
  needs.worker_bytes = on_gpu + residuals / static_cast<uint64_t>(workers) + outer;
  const bool rounded = config.train.precision == Precision::kBf16 || config.train.precision == Precision::kFp16;
  needs.gpu_bytes = on_gpu + (rounded ? buffer / 2 : 0);  // a 16-bit copy of the weights
  needs.checkpoint_bytes = buffer + state + average + residuals + of_workers + (rounds ? buffer : 0);
  // Memory for what is collected from the others, and the copy being written.
  needs.leader_bytes = residuals + of_workers + (config.checkpoint.asynchronous ? needs.checkpoint_bytes : 0);
  // The newest ones, the best by each measure, and the one being written.
  const auto best = static_cast<int64_t>(split_words(config.evaluate.best).size());
  needs.checkpoints = config.checkpoint.keep_last + best + 1;
  return needs;
}

}  // namespace verbund
