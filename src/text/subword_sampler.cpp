// SPDX-License-Identifier: Apache-2.0
#include "text/subword_sampler.h"

#include <cstring>

#include "core/error.h"

namespace verbund {
namespace {

uint64_t pair_key(TokenId left, TokenId right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

SubwordSampler::SubwordSampler(const Subwords& subwords, double dropout) : dropout_(dropout) {
  if (std::strcmp(subwords.type(), "bpe") != 0) {
    fail("subwords.dropout needs a BPE model, but this one is of type {}. Set subwords.type=bpe.", subwords.type());
  }
  const auto size = static_cast<TokenId>(subwords.size());
  std::unordered_map<std::string, TokenId> ids;
  for (TokenId id = kUnknown + 1; id < size; ++id) {
    if (subwords.is_ordinary(id)) ids.emplace(subwords.piece(id), id);
  }
  const auto find = [&](const std::string& piece) {
    const auto found = ids.find(piece);
    return found == ids.end() ? kUnknown : found->second;
  };

  scores_.resize(subwords.size());
  characters_.resize(subwords.size());
  starts_word_.resize(subwords.size());
  for (TokenId id = kUnknown + 1; id < size; ++id) {
    const std::string piece = subwords.piece(id);
    scores_[id] = subwords.score(id);
    starts_word_[id] = piece.rfind(kWordStart, 0) == 0;
    if (!subwords.is_ordinary(id)) {  // a byte or a user-defined symbol is never split
      characters_[id] = {id};
      continue;
    }
    size_t begin = 0;
    for (size_t end = 1; end <= piece.size(); ++end) {
      if (end < piece.size() && !starts_character(piece[end])) continue;
      characters_[id].push_back(find(piece.substr(begin, end - begin)));
      begin = end;
      const TokenId left = find(piece.substr(0, end)), right = find(piece.substr(end));
      if (end < piece.size() && left != kUnknown && right != kUnknown) merges_[pair_key(left, right)] = id;
    }
    for (const TokenId character : characters_[id]) {
      if (character == kUnknown) characters_[id] = {id};
    }
  }
}

std::vector<TokenId> SubwordSampler::sample(const std::vector<TokenId>& ids, Random& random) const {
  std::vector<TokenId> result, word;
  const auto finish_word = [&] {
    split_word(word, random);
    result.insert(result.end(), word.begin(), word.end());
    word.clear();
  };
  for (const TokenId id : ids) {
    if (id <= kUnknown) return ids;
    if (starts_word_[id]) finish_word();
    word.insert(word.end(), characters_[id].begin(), characters_[id].end());
  }
  finish_word();
  return result;
}

// Merges the best pair among those not left out, until there is none.
void SubwordSampler::split_word(std::vector<TokenId>& word, Random& random) const {
  for (;;) {
    size_t best = word.size();
    TokenId merged = kUnknown;
    for (size_t i = 0; i + 1 < word.size(); ++i) {
      const auto found = merges_.find(pair_key(word[i], word[i + 1]));
      if (found == merges_.end() || (dropout_ > 0 && random.uniform() < dropout_)) continue;
      if (best == word.size() || scores_[found->second] > scores_[merged]) {
        best = i;
        merged = found->second;
      }
    }
    if (best == word.size()) return;
    word[best] = merged;
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace verbund
