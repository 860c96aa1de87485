// How long to train, what to show on the way, and when to stop for safety.
#pragma once

#include <cstdint>
#include <string>

#include "config/device_config.h"
#include "config/fields.h"

namespace verbund {

enum class OnDivergence { kStop, kRollBack };

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

  void fields(FieldVisitor& visit) {
    visit.field("max_steps", max_steps, {0, INT64_MAX}, "steps to train; 0: as epochs says");
    visit.field("epochs", epochs, {0, INT64_MAX}, "passes over the training pairs; 0: as max_steps says");
    visit.field("micro_batch_tokens", micro_batch_tokens, {0, 100000000},
                "at most so many tokens are computed at once, the gradient is summed over them; 0: no limit");
    visit.choice(
        "precision", precision, {"fp32", "tf32", "bf16", "fp16"},
        "what the factors of products are rounded to (sums are fp32); tf32: GPUs from Ampere on; bf16: those, and "
        "processors with AVX512-BF16; fp16: GPUs, with loss_scale");
    visit.field("log_every", log_every, {1, INT64_MAX}, "steps between two lines of the log");
    visit.field("log_details", log_details,
                "a second row for each: learning rate, gradient's norm, seconds per step, waiting for data and for the "
                "exchange of gradients; for an evaluation the share of sentences that are exactly the reference");
    visit.field("eval_every", eval_every, {0, INT64_MAX},
                "steps between two evaluations on the dev pairs; 0: only at the end");
    visit.field("sample_every", sample_every, {0, INT64_MAX}, "steps between two samples in the log; 0: none");
    visit.field("record", record,
                "keep every step of every worker, resources, history, translations of evaluations and TensorBoard's "
                "events in the run folder; false: log.txt, metrics.jsonl and checkpoints alone");
    visit.choice("on_divergence", on_divergence, {"stop", "roll_back"},
                 "when the loss is not finite or explodes: stop, or go back to the last checkpoint with half "
                 "the rate");
    visit.field("divergence_factor", divergence_factor, {1.1, 1e9},
                "a loss so many times its running mean, and above that of an untrained model, is an explosion");
    visit.field("roll_backs", roll_backs, {1, 100}, "after so many, stop");
    visit.field("timeline", timeline,
                "FIRST-LAST: of these steps all workers' doings are written as timeline/steps-FIRST-LAST.json, to be "
                "opened in ui.perfetto.dev or chrome://tracing");
    visit.field("freeze", freeze, "regular expression: parameters with such names keep their values");
    visit.field("start_from", start_from,
                "a checkpoint folder or weights.safetensors: parameters of the same name and shape start there");
  }
};

}  // namespace verbund
