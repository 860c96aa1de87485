// SPDX-License-Identifier: Apache-2.0
#include "decode/pair_scorer.h"

#include <numeric>

#include "core/error.h"
#include "core/order.h"
#include "core/utf8.h"

namespace verbund {

double PairScore::sum() const { return std::accumulate(log_probabilities.begin(), log_probabilities.end(), 0.0); }

Sentence PairScorer::encode(const Subwords& subwords, const std::string& text, const char* side,
                            uint64_t number) const {
  if (!is_utf8(text)) fail("the {} of line {} is not valid UTF-8: convert it first, e.g. with iconv", side, number);
  Sentence ids = subwords.encode(text);
  if (static_cast<int64_t>(ids.size()) > config_.max_tokens) {
    fail("the {} of line {} has {} tokens, but at most {} are scored. Raise --max-tokens, or leave the pair out.", side,
         number, ids.size(), config_.max_tokens);
  }
  return ids;
}

// Pairs of similar length are batched; a batch holds as many as its tokens allow on both sides.
std::vector<PairScore> PairScorer::score(const std::vector<TextPair>& pairs, const TellDone& tell) const {
  std::vector<Sentence> sources, targets;
  for (const TextPair& pair : pairs) {
    sources.push_back(encode(source_, pair.source, "source", pair.number));
    targets.push_back(encode(target_, pair.target, "target", pair.number));
  }
  const std::vector<size_t> order =
      largest_first(pairs.size(), [&](size_t i) { return std::pair(targets[i].size(), sources[i].size()); });

  std::vector<PairScore> scores(pairs.size());
  const auto budget = static_cast<size_t>(config_.batch_tokens);
  Batch batch;
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    clear(batch);
    do {
      append(batch, sources[order[end]], targets[order[end]], pairs[order[end]].number);
      ++end;
    } while (end < order.size() && batch.source_tokens() + sources[order[end]].size() < budget &&
             batch.target_tokens() + targets[order[end]].size() < budget);
    const std::vector<double> values = model_.token_log_probabilities(batch);
    for (size_t i = first; i < end; ++i) {
      const auto begin = batch.target_offsets[i - first], stop = batch.target_offsets[i - first + 1];
      scores[order[i]] = {{batch.target_output.begin() + begin, batch.target_output.begin() + stop},
                          {values.begin() + begin, values.begin() + stop}};
    }
    if (tell) tell(end);
  }
  return scores;
}

}  // namespace verbund
