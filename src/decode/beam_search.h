// SPDX-License-Identifier: Apache-2.0
// BeamSearch translates many sentences at once, with one model or an ensemble. Sentences join it at any time.
//
// In every step, the 2 beam most likely continuations of a sentence's rows are considered in order. A continuation that
// ends is a finished translation if it is among the first `beam`; the others become the next rows, until there are
// `beam`. Translations that are cut at the maximum length rank after those that have ended. A sentence is done, and
// leaves the batch, at its maximum length, when no row can become better than the n-best finished translations, or when
// there are `beam` of those and no row would be better than the n-best if it ended with the next token. With a beam of
// 1, the first end is the end: that is greedy search. <s> and <pad> are never part of a translation.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "config/decode_config.h"
#include "decode/ensemble.h"
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

// TranslationNeeds are what a translation must have.
struct TranslationNeeds {
  int64_t nbest = 1;  // at most beam
  bool align = false;
};

class BeamSearch {
 public:
  // The models are this search's alone while it lives.
  BeamSearch(std::span<DecodableModel* const> models, int64_t vocabulary, const DecodeConfig& config, uint64_t seed);

  // The sentence joins with the next step. Returns its number: 0, 1, 2 ...
  size_t add(SearchTask task, const TranslationNeeds& needs);

  struct Done {
    size_t number;
    std::vector<Hypothesis> hypotheses;  // the best first
  };
  // One token more for every sentence. Returns those that are done. After a failure the search cannot go on.
  std::vector<Done> step();

  // Resources used by the sentences under way and those that join next.
  size_t sentences() const { return open_.size() + joining_.size(); }
  size_t source_tokens() const;
  size_t cached_rows() const;  // of the kv cache

 private:
  // A token of a row, and its parent: rows share their beginnings.
  struct Node {
    int32_t parent;
    TokenId token;
    int32_t aligned;
  };
  // An unfinished translation.
  struct Row {
    double log_probability = 0;
    int32_t node = -1;
    int32_t parent = 0;  // the row of the last step that it continues
  };
  struct Candidate {
    double log_probability;
    size_t row;  // of the sentence
    TokenId token;
  };
  struct OpenSentence {
    size_t number;
    SearchTask task;
    TranslationNeeds needs;
    int64_t max_length;  // with </s>
    size_t length = 0;   // tokens of all rows
    std::vector<Row> rows = {Row()};
    size_t first_row = 0;  // of this step
    std::vector<Node> nodes = {};
    std::vector<Hypothesis> finished = {};
  };

  void join();
  void gather_rows();
  void forget_rows();
  size_t candidates_per_row() const;
  std::vector<TokenScore> possible_tokens(size_t row) const;
  std::vector<Candidate> candidates(const OpenSentence& sentence) const;
  Candidate draw(const OpenSentence& sentence, size_t r) const;
  void extend(OpenSentence& sentence) const;
  void finish(OpenSentence& sentence, int32_t node, double log_probability, bool finished) const;
  bool is_done(const OpenSentence& sentence) const;
  static Done close(OpenSentence& sentence);

  const DecodeConfig config_;
  const uint64_t seed_;
  const size_t beam_;
  Ensemble ensemble_;
  size_t added_ = 0;
  std::vector<OpenSentence> joining_, open_;
  std::vector<NextRow> rows_;         // of this step
  std::deque<size_t> rows_of_steps_;  // of each step since the oldest sentence joined
};

// Called after every token with the number of sentences that are done.
using TellDone = std::function<void(size_t done)>;

// The translations of each task, the best first.
std::vector<std::vector<Hypothesis>> search(std::span<DecodableModel* const> models, int64_t vocabulary,
                                            std::span<const SearchTask> tasks, const SearchRequest& request,
                                            const TellDone& tell = {});

// The divisor of log-probabilities.
double length_penalty(int64_t length, const DecodeConfig& config);

}  // namespace verbund
