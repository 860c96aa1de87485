// SPDX-License-Identifier: Apache-2.0
// EvaluateConfig: evaluation during training, the best checkpoints, and early stopping.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"

namespace verbund {

enum class StopWhen { kAny, kAll };

// An extra dev set: the dev pairs of another dataset.
struct ExtraDevSetConfig {
  std::string name;
  std::string data;

  void fields(FieldVisitor& visit) {
    visit.field("name", name, "name of its curves: letters, digits, _ . -; empty: the name of the folder");
    visit.field("data", data, "dataset folder with the same subword model, whose dev pairs are evaluated");
  }
};

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
  std::vector<ExtraDevSetConfig> also;

  void fields(FieldVisitor& visit) {
    visit.field(
        "at_start", at_start,
        "also evaluate the loss before the first step (train.eval_every sets the interval of later evaluations)");
    visit.field(
        "sentences", sentences, {0, INT64_MAX},
        "number of dev sentences to translate, drawn evenly from the dev sets of the dataset's sources; 0: all");
    visit.field("samples", samples, {0, 1000}, "translations shown at each evaluation");
    visit.field("tokenize", tokenize, "tokeniser of BLEU: 13a, intl, char, none (for text that is tokenised already)");
    visit.field(
        "teacher_forced", teacher_forced,
        "also log the BLEU of pieces predicted after the reference's own pieces, which OpenSeq2Seq logged as its "
        "BLEU; far too high, only for comparing curves");
    visit.field("train_probe", train_probe, {0, 1000000},
                "number of training pairs, always the same, scored at each evaluation like dev pairs, without "
                "dropout, so that their loss can be compared with that of dev; 0: none");
    visit.field(
        "best", best,
        "keep the best checkpoint by each of these: bleu, chrf, loss (the cross-entropy, without label smoothing); "
        "`best` is the one by the first");
    visit.field("stop_on", stop_on, "stop when these have not improved for `patience` evaluations; empty: never");
    visit.choice("stop_when", stop_when, {"any", "all"}, "stop when any of them, or all of them, have not improved");
    visit.field("patience", patience, {1, 1000000}, "evaluations without improvement");
    visit.field("min_change", min_change, {0, 1e9}, "smaller changes do not count as improvement");
    visit.list("also", also,
               "extra dev sets, evaluated at the same steps, each with curves of its own; the dataset's dev set alone "
               "decides: [{name: general, data: FOLDER}, ...]");
  }
};

}  // namespace verbund
