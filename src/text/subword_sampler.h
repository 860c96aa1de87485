// SPDX-License-Identifier: Apache-2.0
// SubwordSampler splits words at random (BPE-dropout, Provilkov et al., 2020): the byte-pair merges are repeated from
// the characters on, and at each step every possible merge is left out with a given probability. The model learns what
// longer pieces are made of, which helps most where text is scarce.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "text/subwords.h"

namespace verbund {

class SubwordSampler {
 public:
  // `dropout` is the probability that a merge is left out. Refuses models that have no merges.
  SubwordSampler(const Subwords& subwords, double dropout);

  // Another split of the text encoded in `ids`. Text with unknown characters is returned unchanged.
  std::vector<TokenId> sample(const std::vector<TokenId>& ids, Random& random) const;

 private:
  void split_word(std::vector<TokenId>& word, Random& random) const;

  double dropout_;
  std::unordered_map<uint64_t, TokenId> merges_;  // two neighbours -> the piece they make
  std::vector<float> scores_;                     // of each piece; the highest is merged first
  std::vector<std::vector<TokenId>> characters_;  // of each piece; the piece itself if it is never split
  std::vector<bool> starts_word_;
};

}  // namespace verbund
