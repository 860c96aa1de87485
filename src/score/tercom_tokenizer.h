// How TER cuts a line into words: what tercom does, as sacreBLEU has it, slips included.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

struct TerOptions {
  bool normalized = false;      // punctuation is apart from words, entities are characters
  bool no_punctuation = false;  // punctuation is left out
  bool asian_support = false;   // the two above mean Chinese and Japanese, too
  bool case_sensitive = false;
};

// The line with whitespace between its words (see split_words). It must be valid UTF-8.
std::string tokenize_tercom(std::string_view line, const TerOptions& options);

}  // namespace verbund
