// SPDX-License-Identifier: Apache-2.0
// LanguageGuess guesses the language of a text from the share of its words that are frequent in each language. It
// notices a file in the wrong language; it is too coarse for anything else.
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

  // The code of the language that the text seems to be in, if it is not the expected one ("de", "de-AT"). Nothing if
  // the expected language is plausible or unknown, or if there are too few words.
  std::optional<std::string> instead_of(std::string_view code) const;

  // The share of words that are frequent in this language; a word that is frequent in n languages counts 1/n. 0 for an
  // unknown language.
  double share(std::string_view code) const;

 private:
  std::array<double, kLanguages> hits_ = {};
  uint64_t words_ = 0;
};

bool is_language(std::string_view word);           // a known code or name: "de", "de-AT", "German"
std::string language_name(std::string_view code);  // "de" -> "German"; an unknown code is returned as it is

std::string language_code(std::string_view text);  // as codes are compared: "en_US" -> "en-us"
// Whether a text in the language `found` may serve as `wanted`: en-us as en, and the other way round.
bool languages_fit(std::string_view found, std::string_view wanted);

}  // namespace verbund
