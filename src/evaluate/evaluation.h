// SPDX-License-Identifier: Apache-2.0
// Evaluation is the quality of a model on a test set: its loss on the references, and BLEU and chrF of its
// translations.
#pragma once

#include <optional>

#include "collectives/workers.h"
#include "config/decode_config.h"
#include "config/evaluate_config.h"
#include "evaluate/test_set.h"
#include "model/transformer.h"
#include "score/bleu.h"
#include "score/chrf.h"

namespace verbund {

struct SentenceLoss {
  double cross_entropy = 0;  // nats, summed over the target's tokens, without smoothing
  int64_t tokens = 0;        // with </s>
};

struct SetLoss {
  Loss sum;
  std::vector<SentenceLoss> sentences;  // in the order of the set
};

// The loss of a model on given translations, without dropout. Collective; the result is the same on all workers, and
// that of a single worker.
SetLoss loss_on(DecodableModel& model, const TestSet& set, Workers& workers);

struct Evaluation {
  Loss loss;  // of all pairs
  BleuScore bleu;
  ChrfScore chrf;
  size_t exact = 0;                             // translations that equal the reference
  std::optional<double> teacher_forced_bleu;    // of pieces
  std::vector<SentenceLoss> sentences;          // of all pairs
  Segments translations;                        // as many as were made; none, and no scores, with Judge::kLossAlone
  std::vector<BleuStatistics> bleu_statistics;  // of each translation, as are the next
  std::vector<ChrfStatistics> chrf_statistics;
  std::optional<Loss> probe;  // of training pairs (evaluate.train_probe), if there are any
  double loss_seconds = 0, translate_seconds = 0;
  uint64_t translated_tokens = 0;  // with </s>

  double smoothed() const { return loss.smoothed / static_cast<double>(loss.tokens); }
  double cross_entropy() const { return loss.cross_entropy / static_cast<double>(loss.tokens); }
  double exact_share() const { return static_cast<double>(exact) / static_cast<double>(translations.size()); }
  // The metric with this name in the configuration.
  double metric(const std::string& name) const;
};

// True if a smaller value of this metric is better. Refuses an unknown name.
bool less_is_better(const std::string& metric);

// Sets the scores of its translations, from their statistics.
void score(Evaluation& result, const Segments& references, const EvaluateConfig& config);

enum class Judge { kLossAlone, kAll };

// Collective: each worker evaluates a part. The result is the same on all workers, and that of a single worker.
Evaluation evaluate(DecodableModel& model, const TestSet& set, const Subwords& source, const Subwords& target,
                    const EvaluateConfig& config, const DecodeConfig& decode, Workers& workers,
                    Judge judge = Judge::kAll);

}  // namespace verbund
