// SPDX-License-Identifier: Apache-2.0
#include "train/request_checks.h"

#include "core/error.h"
#include "decode/translator.h"
#include "model/parameters.h"
#include "optim/loss_scaler.h"
#include "optim/schedule.h"
#include "score/tokenizer.h"
#include "train/run_opening.h"

namespace verbund {

void check_settings(const Config& config) {
  decode_config(config);
  check_workers(config.workers);
  tokenizer_named(config.evaluate.tokenize);
  const Schedule schedule(config.schedule, config.model.d_model);
  make_loss_scaler(config.loss_scale);
  constexpr VocabularySizes kAnyVocabularies = {8, 8};
  frozen_parameters(ParameterTable(config.model, kAnyVocabularies), config.train.freeze);
  if (!config.train.timeline.empty() && !config.train.record) {
    fail_usage("train.timeline needs train.record=true: without it, nothing is recorded");
  }
  if (!config.evaluate.stop_on.empty() && config.train.eval_every == 0) {
    fail_usage("evaluate.stop_on={} needs evaluations: set train.eval_every", config.evaluate.stop_on);
  }
}

void check_precision(const Config& config) {
  if (config.train.precision == Precision::kFp16 && config.loss_scale.type == LossScaleType::kNone) {
    fail_usage("train.precision=fp16 needs loss_scale.type=backoff (or logmax): small gradients vanish in 16 bits");
  }
}

void check_length(const Config& config) {
  if (config.train.max_steps > 0 || config.train.epochs > 0 || config.mixture.has_end()) return;
  fail_usage(
      "set the length of the training: --set train.max_steps=N or --set train.epochs=N, or give every stage of the "
      "mixture an end");
}

}  // namespace verbund
