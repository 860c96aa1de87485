// SPDX-License-Identifier: Apache-2.0
// Batch holds sentences packed for the model: the tokens of all of them in one row, with offsets and without padding.
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.h"

namespace verbund {

using Sentence = std::vector<TokenId>;

// S source tokens and T target tokens of n sentences. Sentence i has the source tokens
// [source_offsets[i], source_offsets[i + 1]), and its target tokens likewise.
struct Batch {
  std::vector<TokenId> source;                // [S]  x1 .. xm </s>
  std::vector<TokenId> target_input;          // [T]  <s> y1 .. yk
  std::vector<TokenId> target_output;         // [T]  y1 .. yk </s>
  std::vector<int32_t> source_offsets = {0};  // [n + 1]
  std::vector<int32_t> target_offsets = {0};  // [n + 1]
  std::vector<uint64_t> sentence_ids;         // [n]  ids of the pairs, from which dropout draws
  int32_t longest_source = 0;
  int32_t longest_target = 0;

  size_t sentences() const { return sentence_ids.size(); }
  size_t source_tokens() const { return source.size(); }
  size_t target_tokens() const { return target_output.size(); }
};

// Appends a pair of sentences without special tokens.
void append(Batch& batch, const Sentence& source, const Sentence& target, uint64_t id);
void append(Batch& batch, const Split& split, size_t pair, uint64_t id);
// Keeps the memory.
void clear(Batch& batch);

}  // namespace verbund
