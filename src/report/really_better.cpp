#include "report/really_better.h"

#include "score/significance.h"

namespace verbund {

Differences compare_evaluations(const EvaluatedSentences& first, const EvaluatedSentences& second) {
  const PairedResult bleu = paired_randomization(std::span(first.bleu), std::span(second.bleu));
  const PairedResult chrf = paired_randomization(std::span(first.chrf), std::span(second.chrf));
  return {{bleu.first, bleu.second, bleu.p}, {chrf.first, chrf.second, chrf.p}};
}

}  // namespace verbund
