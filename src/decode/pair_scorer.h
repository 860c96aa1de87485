// SPDX-License-Identifier: Apache-2.0
// PairScorer computes how likely the model finds each target line, given its source line.
#pragma once

#include <string>
#include <vector>

#include "decode/beam_search.h"
#include "model/transformer.h"
#include "text/subwords.h"

namespace verbund {

struct PairScorerConfig {
  int64_t batch_tokens = 2048;  // of either side, scored together
  int64_t max_tokens = 1024;    // of either side of a pair; more are refused, because memory grows with their square
};

struct TextPair {
  std::string source, target;
  uint64_t number = 0;  // in its file, for messages
};

struct PairScore {
  std::vector<TokenId> tokens;            // of the target, with </s>
  std::vector<double> log_probabilities;  // of each, given the source and the tokens before it; natural logarithm

  double sum() const;
};

class PairScorer {
 public:
  // Everything must outlive this.
  PairScorer(DecodableModel& model, const Subwords& source, const Subwords& target, const PairScorerConfig& config)
      : model_(model), source_(source), target_(target), config_(config) {}

  // The scores in the order of the pairs. An empty target is just </s>. `tell` gets the number of pairs that are done.
  std::vector<PairScore> score(const std::vector<TextPair>& pairs, const TellDone& tell = {}) const;

 private:
  Sentence encode(const Subwords& subwords, const std::string& text, const char* side, uint64_t number) const;

  DecodableModel& model_;
  const Subwords& source_;
  const Subwords& target_;
  PairScorerConfig config_;
};

}  // namespace verbund
