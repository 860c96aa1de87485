// SPDX-License-Identifier: Apache-2.0
// reference_beam_search is beam search of one sentence in its simplest form: every row is continued by every token,
// nothing is cached, and it does not stop early.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "decode/beam_search.h"

namespace verbund {

// Log-probabilities of the token after a beginning.
using NextToken = std::function<std::vector<double>(const Sentence& beginning)>;

inline std::vector<Hypothesis> reference_beam_search(const NextToken& next, const SearchTask& task,
                                                     const SearchRequest& request) {
  struct Beginning {
    Sentence tokens;
    double log_probability;
  };
  const auto beam = static_cast<size_t>(request.config.beam);
  const double source_length = static_cast<double>(task.source.size() + 1);
  const auto allowed = static_cast<size_t>(std::floor(request.config.max_ratio * source_length)) +
                       static_cast<size_t>(request.config.max_extra);
  const size_t greatest = std::max(allowed, task.prefix.size() + 1);

  const auto penalty = [&](size_t length) {
    const double offset = request.config.length_offset;
    return std::pow((offset + static_cast<double>(length)) / (offset + 1), request.config.length_penalty);
  };

  std::vector<Hypothesis> found;
  const auto keep = [&](const Beginning& whole, bool ended) {
    Hypothesis hypothesis;
    hypothesis.tokens.assign(whole.tokens.begin(), whole.tokens.end() - (ended ? 1 : 0));
    hypothesis.log_probability = whole.log_probability;
    hypothesis.score = whole.log_probability / penalty(whole.tokens.size());
    hypothesis.finished = ended;
    found.push_back(hypothesis);
  };

  std::vector<Beginning> rows = {{{}, 0}};
  bool done = false;
  for (size_t length = 0; length < greatest && !done; ++length) {
    std::vector<Beginning> longer;
    for (const Beginning& row : rows) {
      const std::vector<double> log_probabilities = next(row.tokens);
      for (size_t token = 0; token < log_probabilities.size(); ++token) {
        if (length < task.prefix.size() && static_cast<TokenId>(token) != task.prefix[length]) continue;
        if (length >= task.prefix.size() && (token == kPad || token == kStartOfSentence)) continue;
        longer.push_back({row.tokens, row.log_probability + log_probabilities[token]});
        longer.back().tokens.push_back(static_cast<TokenId>(token));
      }
    }
    std::stable_sort(longer.begin(), longer.end(),
                     [](const Beginning& a, const Beginning& b) { return a.log_probability > b.log_probability; });
    longer.resize(std::min(longer.size(), 2 * beam));

    rows.clear();
    for (size_t place = 0; place < longer.size(); ++place) {
      if (longer[place].tokens.back() != kEndOfSentence) {
        if (rows.size() < beam) rows.push_back(longer[place]);
      } else if (place < beam) {
        keep(longer[place], true);
      }
    }
    if (length + 1 == greatest) {
      for (const Beginning& row : rows) keep(row, false);
    }
    if (found.size() >= beam && !rows.empty()) {
      std::vector<double> scores;
      for (const Hypothesis& hypothesis : found) scores.push_back(hypothesis.score);
      std::sort(scores.rbegin(), scores.rend());
      const double ended_next = rows[0].log_probability / penalty(length + 2);
      done = beam == 1 || ended_next <= scores[static_cast<size_t>(request.nbest) - 1];
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.finished != b.finished ? a.finished : a.score > b.score;
  });
  found.resize(std::min(found.size(), static_cast<size_t>(request.nbest)));
  return found;
}

}  // namespace verbund
