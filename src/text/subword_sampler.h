// Splits words in other ways than the model's best one, at random (BPE-dropout): byte-pair
// merges are made again from the characters, and at each of them every possible merge is
// left out with a given probability. A model that saw its training text so knows what longer
// pieces are made of, which helps most where text is scarce.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "text/subwords.h"

namespace verbund {

class SubwordSampler {
 public:
  // `dropout`: the probability that a merge is left out. Refuses models that do not merge.
  SubwordSampler(const Subwords& subwords, double dropout);

  // Another split of the text that `ids` encode. Text with unknown characters stays as it is.
  std::vector<TokenId> sample(const std::vector<TokenId>& ids, Random& random) const;

 private:
  void split_word(std::vector<TokenId>& word, Random& random) const;

  double dropout_;
  std::unordered_map<uint64_t, TokenId> merges_;  // two neighbours -> the piece they make
  std::vector<float> scores_;                     // of each piece; the highest is merged first
  std::vector<std::vector<TokenId>> characters_;  // of each piece; itself: it is never split
  std::vector<bool> starts_word_;
};

}  // namespace verbund
