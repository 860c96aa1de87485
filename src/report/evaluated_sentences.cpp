#include "report/evaluated_sentences.h"

#include "record/evaluation_file.h"

namespace verbund {

EvaluatedSentences read_evaluated_sentences(const std::filesystem::path& file) {
  EvaluatedSentences read;
  KeptEvaluation kept = read_evaluation(file);
  for (KeptSentence& sentence : kept.sentences) {
    if (sentence.tokens == 0) break;  // damaged
    read.loss.push_back(sentence.cross_entropy / static_cast<double>(sentence.tokens));
    if (!sentence.translation || read.translations.size() + 1 < read.loss.size()) continue;
    read.translations.push_back(std::move(*sentence.translation));
    read.bleu.push_back(*sentence.bleu);
    read.chrf.push_back(*sentence.chrf);
  }
  return read;
}

std::vector<DevSentence> read_dev_sentences(const std::filesystem::path& run) {
  std::vector<DevSentence> sentences;
  for (KeptPair& pair : read_dev(dev_file(run))) {
    sentences.push_back({std::move(pair.source), std::move(pair.reference)});
  }
  return sentences;
}

}  // namespace verbund
