// A guess at the language of a text, by how many of its words are among the most frequent ones of each language. Good
// for noticing that a file is not what it was said to be, and for nothing finer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verbund {

inline constexpr size_t kLanguages = 20;

class LanguageGuess {
 public:
  void add(std::string_view line);

  // The language that the text seems to be in rather than in the one with this code ("de", "de-AT"). Nothing if that
  // is well possible, if there are too few words to tell, or if nothing is known of that language.
  std::optional<std::string> instead_of(std::string_view code) const;

  // The share of the words that are frequent ones of this language; a word that is frequent in n languages counts
  // 1/n. 0 for a language that is not known.
  double share(std::string_view code) const;

 private:
  std::array<double, kLanguages> hits_ = {};
  uint64_t words_ = 0;
};

std::string language_name(std::string_view code);  // "de" -> "German"; a code that is not known stays

}  // namespace verbund
