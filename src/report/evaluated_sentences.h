// evaluations/ of a run folder: what became of each dev sentence at an evaluation, and the sentences themselves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "score/bleu.h"
#include "score/chrf.h"

namespace verbund {

// One evaluation, by sentence. Of the first ones there are translations and what they score; it may be of none.
struct EvaluatedSentences {
  std::vector<std::string> translations;
  std::vector<double> loss;  // cross-entropy per target token, nats
  std::vector<BleuStatistics> bleu;
  std::vector<ChrfStatistics> chrf;

  size_t size() const { return loss.size(); }
};

// Ends at the first line that is damaged: what follows would be of another sentence.
EvaluatedSentences read_evaluated_sentences(const std::filesystem::path& file);

struct DevSentence {
  std::string source, reference;
};

// evaluations/dev.jsonl; empty if there is none.
std::vector<DevSentence> read_dev_sentences(const std::filesystem::path& run);

}  // namespace verbund
