// How a model is judged while it trains, which checkpoints are the best, and when to stop.
#pragma once

#include <cstdint>
#include <string>

#include "config/fields.h"

namespace verbund {

enum class StopWhen { kAny, kAll };

struct EvaluateConfig {
  bool at_start = true;
  int64_t sentences = 0;
  int64_t samples = 2;
  std::string tokenize = "13a";
  bool teacher_forced = false;
  int64_t train_probe = 0;
  std::string best = "bleu loss chrf";
  std::string stop_on;
  StopWhen stop_when = StopWhen::kAll;
  int64_t patience = 10;
  double min_change = 0;

  void fields(FieldVisitor& visit) {
    visit.field("at_start", at_start,
                "the loss before the first step, too (train.eval_every says how often there is an evaluation later)");
    visit.field("sentences", sentences, {0, INT64_MAX}, "translate only the first so many dev sentences; 0: all");
    visit.field("samples", samples, {0, 1000}, "translations to show at each evaluation");
    visit.field("tokenize", tokenize,
                "how BLEU cuts words: 13a, intl, char, none (for text that is tokenised already)");
    visit.field("teacher_forced", teacher_forced,
                "also the BLEU of pieces predicted after the reference's own pieces, which OpenSeq2Seq logged as its "
                "BLEU; far too high, only for comparing curves");
    visit.field("train_probe", train_probe, {0, 1000000},
                "so many training pairs, always the same, are scored at each evaluation as dev pairs are, without "
                "dropout: their loss can be compared with that of dev; 0: none");
    visit.field("best", best,
                "keep the best checkpoint by each of these: bleu, chrf, loss; `best` is that of the first");
    visit.field("stop_on", stop_on, "stop when these have not improved for `patience` evaluations; empty: never");
    visit.choice("stop_when", stop_when, {"any", "all"}, "stop when any of them, or all of them, have not improved");
    visit.field("patience", patience, {1, 1000000}, "evaluations without improvement");
    visit.field("min_change", min_change, {0, 1e9}, "a smaller change is no improvement");
  }
};

}  // namespace verbund
