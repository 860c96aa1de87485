#include "score/tercom_tokenizer.h"

#include <algorithm>

#include "core/utf8.h"
#include "score/lower_case.h"
#include "score/rewrites.h"

namespace verbund {
namespace {

struct CharacterRange {
  char32_t first, last;
};

template <size_t count>
bool is_in(const CharacterRange (&ranges)[count], char32_t character) {
  return std::ranges::any_of(
      ranges, [=](const CharacterRange& range) { return range.first <= character && character <= range.last; });
}

// Ideographs, radicals, strokes, compatibility forms, enclosed letters.
constexpr CharacterRange kIdeographs[] = {{0x2E80, 0x2EFF}, {0x31C0, 0x31EF}, {0x3200, 0x3F22}, {0x3300, 0x33FF},
                                          {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}};
constexpr CharacterRange kAsianPunctuation[] = {{0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0x30FB, 0x30FB},
                                                {0xFF01, 0xFF02}, {0xFF08, 0xFF09}, {0xFF0C, 0xFF0C}, {0xFF0E, 0xFF0E},
                                                {0xFF1A, 0xFF1B}, {0xFF1F, 0xFF1F}, {0xFF61, 0xFF65}};

std::string normalize(std::string text) {
  replace_all(text, "\n-", "");
  replace_all(text, "\n", " ");
  decode_entities(text);
  text = set_apart(' ' + text + ' ', is_mteval_punctuation);
  replace_all(text, "'s ", " 's ");
  return detach_points_and_dashes(std::move(text));
}

std::string set_asian_apart(std::string_view line) {
  const std::u32string text = set_apart(to_code_points(line), [](char32_t character) {
    return is_in(kIdeographs, character) || is_in(kAsianPunctuation, character);
  });
  std::string result;
  for (const char32_t character : text) append_code_point(result, character);
  return result;
}

std::string without_asian_punctuation(std::string_view line) {
  std::string result;
  for (size_t position = 0; position < line.size();) {
    const char32_t character = next_code_point(line, position);
    if (!is_in(kAsianPunctuation, character)) append_code_point(result, character);
  }
  return result;
}

}  // namespace

std::string tokenize_tercom(std::string_view line, const TerOptions& options) {
  std::string text = options.case_sensitive ? std::string(line) : lower_case(line);
  if (options.normalized) {
    text = normalize(std::move(text));
    if (options.asian_support) text = set_asian_apart(text);
  }
  if (options.no_punctuation) {
    std::erase_if(text, [](char byte) { return std::string_view(".,?:;!\"()").find(byte) != std::string_view::npos; });
    if (options.asian_support) text = without_asian_punctuation(text);
  }
  return text;
}

}  // namespace verbund
