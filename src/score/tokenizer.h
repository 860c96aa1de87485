// The ways in which BLEU cuts a line into tokens. They are part of the metric's
// definition, so each follows its published rules to the letter, slips included.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

enum class Tokenizer {
  k13a,            // mteval-v13a, the one that published scores use
  kInternational,  // mteval-v14: any Unicode punctuation and symbol is a token
  kNone,           // the line is tokenised already
  kCharacters,     // each character is a token
};

// As the signature of a score spells it: 13a, intl, none, char.
std::string_view tokenizer_name(Tokenizer tokenizer);
Tokenizer tokenizer_named(std::string_view name);

// The line with whitespace between its tokens (see split_words). `line` must be valid
// UTF-8, without whitespace at its end.
std::string tokenize(Tokenizer tokenizer, std::string_view line);

}  // namespace verbund
