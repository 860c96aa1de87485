// SPDX-License-Identifier: Apache-2.0
// TrainConfig: the length of training, its log, precision, and reaction to divergence.
#pragma once

#include <cstdint>
#include <string>

#include "config/device_config.h"
#include "config/fields.h"

namespace verbund {

inline constexpr int64_t kMaxSteps = 1000000000000;  // far above any training: plans and times left stay numbers

enum class OnDivergence { kStop, kRollBack };
enum class StartVocabulary { kSame, kMap };

struct TrainConfig {
  int64_t max_steps = 0;
  int64_t epochs = 0;
  int64_t micro_batch_tokens = 8192;
  Precision precision = Precision::kFp32;
  int64_t log_every = 100;
  bool log_details = false;
  int64_t eval_every = 1000;
  int64_t sample_every = 0;
  bool record = true;
  OnDivergence on_divergence = OnDivergence::kStop;
  double divergence_factor = 4;
  int64_t roll_backs = 3;
  StepWindow timeline;
  std::string freeze;
  std::string start_from;
  std::string start_from_checkpoint;
  StartVocabulary start_from_vocabulary = StartVocabulary::kSame;

  void fields(FieldVisitor& visit) {
    visit.field("max_steps", max_steps, {0, kMaxSteps}, "steps to train; 0: as set by epochs");
    visit.field("epochs", epochs, {0, kMaxSteps}, "passes over the training pairs; 0: as set by max_steps");
    visit.field("micro_batch_tokens", micro_batch_tokens, {0, 100000000},
                "most tokens computed at once; gradients are summed over these parts of a batch; 0: no limit");
    visit.choice("precision", precision, {"fp32", "tf32", "bf16", "fp16"},
                 "compute dtype of GEMM operands (sums are fp32); tf32: GPUs from Ampere on; bf16: those, and "
                 "processors with AVX512-BF16; fp16: GPUs, with loss_scale");
    visit.field("log_every", log_every, {1, INT64_MAX}, "steps between lines of the log");
    visit.field(
        "log_details", log_details,
        "a second line for each: learning rate, gradient norm, seconds per step, time spent waiting for data and "
        "for the all-reduce; for an evaluation the share of sentences identical to the reference");
    visit.field("eval_every", eval_every, {0, INT64_MAX},
                "steps between evaluations on the dev pairs; 0: only at the end");
    visit.field("sample_every", sample_every, {0, INT64_MAX}, "steps between samples in the log; 0: none");
    visit.field("record", record,
                "record every step of every worker, resources, history, translations of evaluations and TensorBoard "
                "events in the run folder, and write a report at the end; false: none of these");
    visit.choice("on_divergence", on_divergence, {"stop", "roll_back"},
                 "when the loss is not finite or explodes: stop, or return to the last checkpoint with half the rate");
    visit.field("divergence_factor", divergence_factor, {1.1, 1e9},
                "a loss this many times its running mean, and 1.5 times that of an untrained model, is an explosion; "
                "so is 4 times that of an untrained model");
    visit.field("roll_backs", roll_backs, {1, 100}, "most roll-backs; after that, stop");
    visit.field("timeline", timeline,
                "FIRST-LAST: the activity of all workers in these steps is written to timeline/steps-FIRST-LAST.json, "
                "for ui.perfetto.dev or chrome://tracing");
    visit.field("freeze", freeze, "regular expression: parameters with matching names keep their values");
    visit.field("start_from", start_from,
                "run or checkpoint folder: initial values of parameters of the same name and shape");
    visit.field("start_from_checkpoint", start_from_checkpoint,
                "checkpoint of that run: best, last, average, step-00004000, ...; empty: best if there is one, else "
                "the newest");
    visit.choice("start_from_vocabulary", start_from_vocabulary, {"same", "map"},
                 "same: refuse a dataset made with another subword model; map: pieces that both models have keep their "
                 "rows of the embedding, by their text, the others are initialised");
  }
};

// A model that knows its vocabulary translates before the first step.
inline bool starts_trained(const TrainConfig& config) {
  return !config.start_from.empty() && config.start_from_vocabulary == StartVocabulary::kSame;
}

}  // namespace verbund
