#include "train/greedy.h"

#include <numeric>

#include "core/interrupt.h"

namespace verbund {
namespace {

constexpr int64_t kBatchTokens = 2048;
constexpr size_t kLongerThanSource = 50;

// The sentences that are still growing, as a batch.
Batch open_sentences(const std::vector<Sentence>& sources, const std::vector<Sentence>& prefixes,
                     const std::vector<size_t>& open) {
  Batch batch;
  for (const size_t i : open) {
    batch.source.insert(batch.source.end(), sources[i].begin(), sources[i].end());
    batch.source.push_back(kEndOfSentence);
    batch.target_input.push_back(kStartOfSentence);
    batch.target_input.insert(batch.target_input.end(), prefixes[i].begin(), prefixes[i].end());
    batch.source_offsets.push_back(static_cast<int32_t>(batch.source.size()));
    batch.target_offsets.push_back(static_cast<int32_t>(batch.target_input.size()));
    batch.longest_source = std::max(batch.longest_source, static_cast<int32_t>(sources[i].size() + 1));
    batch.longest_target = std::max(batch.longest_target, static_cast<int32_t>(prefixes[i].size() + 1));
    batch.names.push_back(i);
  }
  batch.target_output.assign(batch.target_input.size(), kEndOfSentence);
  return batch;
}

void translate_group(TranslationModel& model, const std::vector<Sentence>& sources, std::vector<size_t> open,
                     std::vector<Sentence>& results) {
  while (!open.empty()) {
    check_interrupt();
    const Batch batch = open_sentences(sources, results, open);
    const std::vector<TokenId> predicted = model.predict(batch);
    std::vector<size_t> still_open;
    for (size_t s = 0; s < open.size(); ++s) {
      const TokenId next = predicted[static_cast<size_t>(batch.target_offsets[s + 1]) - 1];
      Sentence& result = results[open[s]];
      if (next == kEndOfSentence || result.size() >= sources[open[s]].size() + kLongerThanSource) continue;
      result.push_back(next);
      still_open.push_back(open[s]);
    }
    open = std::move(still_open);
  }
}

}  // namespace

std::vector<Sentence> translate_greedily(TranslationModel& model, const std::vector<Sentence>& sources) {
  std::vector<Sentence> results(sources.size());
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sources[a].size() < sources[b].size(); });
  std::vector<size_t> group;
  int64_t tokens = 0;
  for (const size_t i : order) {
    group.push_back(i);
    tokens += static_cast<int64_t>(sources[i].size()) + 1;
    if (tokens < kBatchTokens) continue;
    translate_group(model, sources, std::exchange(group, {}), results);
    tokens = 0;
  }
  translate_group(model, sources, group, results);
  return results;
}

DevResult evaluate_split(TranslationModel& model, const Split& split, int64_t translate) {
  DevResult result;
  result.sentences = std::min<int64_t>(translate, static_cast<int64_t>(split.size()));
  Batch batch;
  std::vector<uint32_t> pairs;
  int64_t tokens = 0;
  for (size_t i = 0; i < split.size(); ++i) {
    pairs.push_back(static_cast<uint32_t>(i));
    tokens += split.target_length(i) + 1;
    if (tokens < kBatchTokens && i + 1 < split.size()) continue;
    check_interrupt();
    fill(batch, split, pairs);
    result.loss += model.evaluate(batch);
    pairs.clear();
    tokens = 0;
  }
  std::vector<Sentence> sources(static_cast<size_t>(result.sentences)), targets(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    split.append_source(i, sources[i]);
    split.append_target(i, targets[i]);
  }
  result.translations = translate_greedily(model, sources);
  for (size_t i = 0; i < targets.size(); ++i) result.exact += result.translations[i] == targets[i] ? 1 : 0;
  return result;
}

}  // namespace verbund
