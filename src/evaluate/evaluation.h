// How good a model is on a test set: its loss on the references, and BLEU and chrF of its own
// translations.
#pragma once

#include <optional>

#include "collectives/workers.h"
#include "config/decode_config.h"
#include "config/evaluate_config.h"
#include "evaluate/set_loss.h"
#include "score/bleu.h"
#include "score/chrf.h"

namespace verbund {

struct Evaluation {
  Loss loss;  // of all pairs
  BleuScore bleu;
  ChrfScore chrf;
  size_t exact = 0;                             // translations that are the reference, letter by letter
  std::optional<double> teacher_forced_bleu;    // of pieces
  std::vector<SentenceLoss> sentences;          // of all pairs
  Segments translations;                        // as many as were made; none, and no scores, if the loss was enough
  std::vector<BleuStatistics> bleu_statistics;  // of each translation, as are the next
  std::vector<ChrfStatistics> chrf_statistics;
  std::optional<Loss> probe;  // of training pairs (evaluate.train_probe), if whoever evaluates has some
  double loss_seconds = 0, translate_seconds = 0;
  uint64_t translated_tokens = 0;  // with </s>

  double smoothed() const { return loss.smoothed / static_cast<double>(loss.tokens); }
  double cross_entropy() const { return loss.cross_entropy / static_cast<double>(loss.tokens); }
  double exact_share() const { return static_cast<double>(exact) / static_cast<double>(translations.size()); }
  // By the names of the configuration.
  double metric(const std::string& name) const;
};

// Metrics by name, and whether less of it is better. Refuses an unknown name.
bool less_is_better(const std::string& metric);

enum class Judge { kLossAlone, kAll };

// By all workers together, each a part of it; the result is the same on all, and the one that a single
// worker would get.
Evaluation evaluate(DecodableModel& model, const TestSet& set, const Subwords& source, const Subwords& target,
                    const EvaluateConfig& config, const DecodeConfig& decode, Workers& workers,
                    Judge judge = Judge::kAll);

}  // namespace verbund
