// Greedy translation by running the whole decoder for each next token: slow and plain,
// enough to watch a model learn.
#pragma once

#include <vector>

#include "data/dataset.h"
#include "model/transformer.h"

namespace verbund {

// Translations of source sentences (without </s>), in order.
std::vector<Sentence> translate_greedily(TranslationModel& model, const std::vector<Sentence>& sources);

struct DevResult {
  Loss loss;
  int64_t sentences = 0;
  int64_t exact = 0;  // translations that are the reference, token by token
  std::vector<Sentence> translations;
};

// Loss on all pairs; greedy translations of the first `translate` ones.
DevResult evaluate_split(TranslationModel& model, const Split& split, int64_t translate);

}  // namespace verbund
