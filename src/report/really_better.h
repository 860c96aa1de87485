// Is one evaluation really better than another of the same sentences? From the statistics that evaluations keep.
#pragma once

#include "report/evaluated_sentences.h"

namespace verbund {

struct Difference {
  double first = 0, second = 0;  // scores
  double p = 1;                  // of a difference as large if both were the same
};

struct Differences {
  Difference bleu, chrf;
};

// Paired approximate randomisation. Both must have statistics of equally many sentences, at least one.
Differences compare_evaluations(const EvaluatedSentences& first, const EvaluatedSentences& second);

}  // namespace verbund
