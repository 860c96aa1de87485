// SPDX-License-Identifier: Apache-2.0
// Tokenisers of BLEU and TER. They are part of the metrics' definition, so each follows its published rules exactly,
// including their mistakes.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

enum class Tokenizer {
  k13a,            // mteval-v13a, the one that published scores use
  kInternational,  // mteval-v14: any Unicode punctuation and symbol is a token
  kNone,           // for text that is tokenised already
  kCharacters,     // each character is a token
};

// The name as the signature of a score spells it: 13a, intl, none, char.
std::string_view tokenizer_name(Tokenizer tokenizer);
Tokenizer tokenizer_named(std::string_view name);

// The version of Unicode that decides what punctuation is, such as "15.0".
std::string unicode_version();

// The line with whitespace between its tokens (see split_words). `line` must be valid UTF-8, without whitespace at its
// end.
std::string tokenize(Tokenizer tokenizer, std::string_view line);

struct TerOptions {
  bool normalized = false;      // separate punctuation from words, decode entities
  bool no_punctuation = false;  // leave punctuation out
  bool asian_support = false;   // the two above apply to Chinese and Japanese, too
  bool case_sensitive = false;
};

// The same for TER, by the rules of tercom as sacreBLEU implements them.
std::string tokenize_tercom(std::string_view line, const TerOptions& options);

}  // namespace verbund
