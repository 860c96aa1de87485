// SPDX-License-Identifier: Apache-2.0
#include "data/batch.h"

#include <algorithm>

namespace verbund {
namespace {

// Ends the sentence at `end` and updates the length of the longest one.
void end_sentence(std::vector<int32_t>& offsets, size_t end, int32_t& longest) {
  offsets.push_back(static_cast<int32_t>(end));
  longest = std::max(longest, offsets.back() - offsets[offsets.size() - 2]);
}

// Appends a pair, whose tokens the functions append to a vector.
template <typename AppendSource, typename AppendTarget>
void append_pair(Batch& batch, uint64_t id, AppendSource append_source, AppendTarget append_target) {
  batch.sentence_ids.push_back(id);
  append_source(batch.source);
  batch.source.push_back(kEndOfSentence);
  batch.target_input.push_back(kStartOfSentence);
  append_target(batch.target_input);
  append_target(batch.target_output);
  batch.target_output.push_back(kEndOfSentence);
  end_sentence(batch.source_offsets, batch.source.size(), batch.longest_source);
  end_sentence(batch.target_offsets, batch.target_output.size(), batch.longest_target);
}

}  // namespace

void append(Batch& batch, const Split& split, size_t pair, uint64_t id) {
  append_pair(
      batch, id, [&](Sentence& tokens) { split.append_source(pair, tokens); },
      [&](Sentence& tokens) { split.append_target(pair, tokens); });
}

void clear(Batch& batch) {
  batch.source.clear();
  batch.target_input.clear();
  batch.target_output.clear();
  batch.source_offsets.assign(1, 0);
  batch.target_offsets.assign(1, 0);
  batch.sentence_ids.clear();
  batch.longest_source = batch.longest_target = 0;
}

void append(Batch& batch, const Sentence& source, const Sentence& target, uint64_t id) {
  append_pair(
      batch, id, [&](Sentence& tokens) { tokens.insert(tokens.end(), source.begin(), source.end()); },
      [&](Sentence& tokens) { tokens.insert(tokens.end(), target.begin(), target.end()); });
}

}  // namespace verbund
