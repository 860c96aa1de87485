// SPDX-License-Identifier: Apache-2.0
// CorpusWeights maps names of corpora to numbers, in the order in which they were given: {europarl: 0.7, multi30k:
// 0.3}.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace verbund {

struct CorpusWeight {
  std::string name;
  double weight = 0;

  bool operator==(const CorpusWeight&) const = default;
};

using CorpusWeights = std::vector<CorpusWeight>;

// "europarl 0.7, multi30k 0.3"; `between` stands between a name and its number.
inline std::string weights_text(const CorpusWeights& weights, const char* between = " ") {
  std::string text;
  for (const auto& [name, weight] : weights) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", name, between, weight);
  }
  return text;
}

}  // namespace verbund
