// SPDX-License-Identifier: Apache-2.0
// MixtureConfig: how much of each training corpus is drawn, in stages that follow one another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"

namespace verbund {

enum class StageUntil { kNone, kBleu, kChrf, kLoss };

// A stage ends by `epochs`, `steps` or `until`; the last stage may go on to the end of the training.
struct StageConfig {
  std::string name;
  CorpusWeights weights;
  double temperature = 0;
  int64_t epochs = 0;
  std::string of;
  int64_t steps = 0;
  StageUntil until = StageUntil::kNone;
  int64_t patience = 5;

  bool has_end() const { return epochs > 0 || steps > 0 || until != StageUntil::kNone; }

  void fields(FieldVisitor& visit) {
    visit.field("name", name, "for the log and the report; empty: its number");
    visit.field("weights", weights, "as mixture.weights; {}: those");
    visit.field("temperature", temperature, {0, 1000}, "as mixture.temperature; 0: that");
    visit.field("epochs", epochs, {0, 1000000}, "the stage ends after so many epochs; 0: it does not");
    visit.field("of", of, "corpus whose epochs count; empty: those of the mixture");
    visit.field("steps", steps, {0, 1000000000000}, "the stage ends after so many steps; 0: it does not");
    visit.choice("until", until, {"none", "bleu", "chrf", "loss"},
                 "the stage ends when this metric of the dev pairs has not improved for `patience` evaluations");
    visit.field("patience", patience, {1, 1000000}, "evaluations without improvement in this stage");
  }
};

struct MixtureConfig {
  CorpusWeights weights;
  double temperature = 0;
  int64_t epoch_pairs = 0;
  std::vector<StageConfig> stages;

  bool has_end() const { return !stages.empty() && stages.back().has_end(); }  // of all stages

  void fields(FieldVisitor& visit) {
    visit.field("weights", weights,
                "shares of the pairs that are drawn from each corpus, such as {europarl: 0.7, multi30k: 0.3}; others "
                "are not drawn; {}: every corpus, in proportion to its pairs times its weight in the dataset");
    visit.field(
        "temperature", temperature, {0, 1000},
        "T > 1 evens corpora out, T below 1 favours large ones: the share of each is proportional to (pairs times "
        "weight)^(1/T); 0: none");
    visit.field("epoch_pairs", epoch_pairs, {0, 4294967295},
                "pairs of an epoch of the mixture; 0: as many as the corpora that are drawn from have");
    visit.list("stages", stages,
               "mixtures that follow one another: [{weights: {a: 0.7, b: 0.3}, epochs: 3, of: a}, {weights: {b: 1}, "
               "until: bleu, patience: 5}]; []: one, to the end of the training");
  }
};

}  // namespace verbund
