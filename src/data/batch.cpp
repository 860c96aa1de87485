#include "data/batch.h"

#include <algorithm>

namespace verbund {
namespace {

// Ends the sentence at `end` and keeps the length of the longest one.
void end_sentence(std::vector<int32_t>& offsets, size_t end, int32_t& longest) {
  offsets.push_back(static_cast<int32_t>(end));
  longest = std::max(longest, offsets.back() - offsets[offsets.size() - 2]);
}

}  // namespace

void fill(Batch& batch, const Split& split, std::span<const uint32_t> pairs) {
  clear(batch);
  for (const uint32_t pair : pairs) {
    batch.sentence_ids.push_back(pair);
    split.append_source(pair, batch.source);
    batch.source.push_back(kEndOfSentence);
    batch.target_input.push_back(kStartOfSentence);
    split.append_target(pair, batch.target_input);
    split.append_target(pair, batch.target_output);
    batch.target_output.push_back(kEndOfSentence);
    end_sentence(batch.source_offsets, batch.source.size(), batch.longest_source);
    end_sentence(batch.target_offsets, batch.target_output.size(), batch.longest_target);
  }
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

void append(Batch& batch, const Sentence& source, const Sentence& target, uint64_t name) {
  batch.sentence_ids.push_back(name);
  batch.source.insert(batch.source.end(), source.begin(), source.end());
  batch.source.push_back(kEndOfSentence);
  batch.target_input.push_back(kStartOfSentence);
  batch.target_input.insert(batch.target_input.end(), target.begin(), target.end());
  batch.target_output.insert(batch.target_output.end(), target.begin(), target.end());
  batch.target_output.push_back(kEndOfSentence);
  end_sentence(batch.source_offsets, batch.source.size(), batch.longest_source);
  end_sentence(batch.target_offsets, batch.target_output.size(), batch.longest_target);
}

}  // namespace verbund
