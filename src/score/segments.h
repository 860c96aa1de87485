// SPDX-License-Identifier: Apache-2.0
// Segments are the text that is scored, one segment (mostly a sentence) per element, and what all metrics do with it:
// lower-casing, splitting at whitespace, numbering of tokens. All text is valid UTF-8.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hash.h"
#include "core/interrupt.h"

namespace verbund {

using Segments = std::vector<std::string>;

// Several references are several whole translations: references[which][segment].
using References = std::vector<Segments>;

// The sacreBLEU release whose definitions of metrics, tokenisers and signatures are followed here. A signature with
// this version is comparable with that release's own.
inline constexpr char kSacrebleuVersion[] = "2.5.1";

// Fails unless there is at least one segment and one reference, and all have the same number of segments.
void check_parallel(const Segments& hypotheses, const References& references);

// What the counter of a metric counts in each segment.
template <typename Counter>
auto count_segments(Counter counter, const Segments& hypotheses, const References& references) {
  check_parallel(hypotheses, references);
  std::vector<decltype(counter.count(hypotheses[0], references, 0))> statistics;
  statistics.reserve(hypotheses.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    check_interrupt();
    statistics.push_back(counter.count(hypotheses[i], references, i));
  }
  return statistics;
}

// Unicode's full lower-casing, independent of language: "İ" becomes two code points, and a capital sigma at the end of
// a word becomes "ς".
std::string lower_case(std::string_view text);

// Whitespace as the metrics define it: Unicode's spaces and line separators (U+00A0 too), and the ASCII separators
// U+001C to U+001F.
bool is_wide_whitespace(char32_t code_point);  // beyond ASCII

inline bool is_whitespace(char32_t code_point) {
  if (code_point >= 0x80) return is_wide_whitespace(code_point);
  return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0D) || (code_point >= 0x1C && code_point <= 0x1F);
}

// `text` without whitespace at its end.
std::string_view trim_right(std::string_view text);

// Replaces `words` by the parts of `text` between whitespace. They point into `text`.
void split_words(std::string_view text, std::vector<std::string_view>& words);

using Symbol = uint32_t;
using Symbols = std::vector<Symbol>;

// SymbolTable numbers tokens: equal tokens have equal numbers, so that n-grams are compared without looking at text.
class SymbolTable {
 public:
  Symbol number_of(std::string_view token) {
    const auto found = numbers_.find(token);
    if (found != numbers_.end()) return found->second;
    return numbers_.emplace(token, static_cast<Symbol>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, Symbol, TextHash, std::equal_to<>> numbers_;
};

}  // namespace verbund
