// SPDX-License-Identifier: Apache-2.0
// Beam search translates many sentences at once, with one model or an ensemble.
//
// In every step, the 2 beam likeliest continuations of a sentence's rows are considered in order. A continuation that
// ends is a finished translation if it is among the first `beam`; the others become the next rows, until there are
// `beam`. Translations that are cut at the maximum length rank after those that have ended. A sentence is done, and
// leaves the batch, at its maximum length, when no row can become better than the n-best finished translations, or when
// there are `beam` of those and no row would be better than the n-best if it ended with the next token. With a beam of
// 1, the first end is the end: that is greedy search.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "config/decode_config.h"
#include "model/transformer.h"

namespace verbund {

struct Hypothesis {
  Sentence tokens;                 // without </s>
  double log_probability = 0;      // of tokens and </s>
  double score = 0;                // with the length penalty; ranks the hypotheses
  bool finished = true;            // false: cut at the maximum length
  std::vector<int32_t> alignment;  // of each token: the source position (or </s>) it attends to most; if requested
};

struct SearchTask {
  Sentence source;      // without </s>
  Sentence prefix;      // the translation must begin with it; it may always be one token longer
  uint64_t number = 0;  // selects the random numbers of sampling
};

struct SearchRequest {
  DecodeConfig config;
  int64_t nbest = 1;  // at most beam
  bool align = false;
  uint64_t seed = 1;
};

// Called after every token with the number of sentences that are done.
using TellDone = std::function<void(size_t done)>;

// Of each task, the best translations first.
std::vector<std::vector<Hypothesis>> search(std::span<DecodableModel* const> models, int64_t vocabulary,
                                            std::span<const SearchTask> tasks, const SearchRequest& request,
                                            const TellDone& tell = {});

// The divisor of log-probabilities.
double length_penalty(int64_t length, double alpha);

}  // namespace verbund
