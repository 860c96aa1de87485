// SPDX-License-Identifier: Apache-2.0
#include "score/tokenizer.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/utf8.h"
#include "score/segments.h"

namespace verbund {
namespace {

// The rules of the tokenisers are rewrites, each applied to the whole line from left to right before the next one
// starts. A rewrite consumes what it matches: in "a..", the first dot goes with the "a" and is no longer available for
// the second. So the passes stay separate. `Text` is bytes where only ASCII matters, and code points elsewhere.

// x -> " x "
template <typename Text, typename Matches>
Text set_apart(const Text& text, Matches matches) {
  check_interrupt();
  Text result;
  result.reserve(text.size() + text.size() / 2);
  for (const auto symbol : text) {
    const bool apart = matches(symbol);
    if (apart) result.push_back(' ');
    result.push_back(symbol);
    if (apart) result.push_back(' ');
  }
  return result;
}

enum class Detach { kFirst, kSecond };

// kFirst: xy -> " x y", kSecond: xy -> "x y "
template <Detach detach, typename Text, typename First, typename Second>
Text detach_in_pairs(const Text& text, First is_first, Second is_second) {
  check_interrupt();
  Text result;
  result.reserve(text.size() + text.size() / 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !is_first(text[i]) || !is_second(text[i + 1])) {
      result.push_back(text[i]);
      continue;
    }
    if (detach == Detach::kFirst) result.push_back(' ');
    result.push_back(text[i]);
    result.push_back(' ');
    result.push_back(text[++i]);
    if (detach == Detach::kSecond) result.push_back(' ');
  }
  return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string result;
  result.reserve(text.size());
  size_t begin = 0;
  for (; at != std::string::npos; at = text.find(from, begin)) {
    result.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  text = result.append(text, begin);
}

// Lambdas rather than functions, so that they are inlined into the passes above.
constexpr auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
constexpr auto is_not_digit = [](char byte) { return !is_digit(byte); };
constexpr auto is_point_or_comma = [](char byte) { return byte == '.' || byte == ','; };
constexpr auto is_dash = [](char byte) { return byte == '-'; };

// ASCII punctuation except ' , - .
constexpr auto is_mteval_punctuation = [](char byte) {
  return (byte >= '!' && byte <= '&') || (byte >= '(' && byte <= '+') || byte == '/' || (byte >= ':' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
};

void decode_entities(std::string& text) {
  if (text.find('&') == std::string::npos) return;
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

// Points and commas stay in numbers only; a dash after a digit is a word.
std::string detach_points_and_dashes(std::string text) {
  text = detach_in_pairs<Detach::kSecond>(text, is_not_digit, is_point_or_comma);
  text = detach_in_pairs<Detach::kFirst>(text, is_point_or_comma, is_not_digit);
  return detach_in_pairs<Detach::kSecond>(text, is_digit, is_dash);
}

constexpr std::pair<std::string_view, Tokenizer> kNames[] = {{"13a", Tokenizer::k13a},
                                                             {"intl", Tokenizer::kInternational},
                                                             {"none", Tokenizer::kNone},
                                                             {"char", Tokenizer::kCharacters}};

std::string tokenize_13a(std::string_view line) {
  std::string text = ' ' + std::string(line) + ' ';
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  decode_entities(text);
  return detach_points_and_dashes(set_apart(text, is_mteval_punctuation));
}

bool is_in_category(char32_t code_point, uint32_t categories) {
  return (U_GET_GC_MASK(static_cast<UChar32>(code_point)) & categories) != 0;
}
constexpr auto is_not_number = [](char32_t code_point) { return !is_in_category(code_point, U_GC_N_MASK); };
constexpr auto is_punctuation = [](char32_t code_point) { return is_in_category(code_point, U_GC_P_MASK); };
constexpr auto is_symbol = [](char32_t code_point) { return is_in_category(code_point, U_GC_S_MASK); };

std::string tokenize_international(std::string_view line) {
  std::u32string text = to_code_points(line);
  text = detach_in_pairs<Detach::kSecond>(text, is_not_number, is_punctuation);
  text = detach_in_pairs<Detach::kFirst>(text, is_punctuation, is_not_number);
  text = set_apart(text, is_symbol);
  std::string result;
  result.reserve(2 * line.size());
  for (const char32_t code_point : text) append_code_point(result, code_point);
  return result;
}

std::string tokenize_characters(std::string_view line) {
  std::string result;
  result.reserve(2 * line.size());
  for (size_t position = 0; position < line.size();) {
    const size_t start = position;
    next_code_point(line, position);
    result.append(line.substr(start, position - start)).push_back(' ');
  }
  return result;
}

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

std::string normalize_tercom(std::string text) {
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

std::string unicode_version() {
  UVersionInfo version;
  u_getUnicodeVersion(version);
  return fmt::format("{}.{}", version[0], version[1]);
}

std::string_view tokenizer_name(Tokenizer tokenizer) {
  for (const auto& [name, value] : kNames) {
    if (value == tokenizer) return name;
  }
  fail("unknown tokeniser {}", static_cast<int>(tokenizer));
}

Tokenizer tokenizer_named(std::string_view name) {
  for (const auto& [known, value] : kNames) {
    if (known == name) return value;
  }
  fail_usage("unknown tokeniser {}: choose 13a, intl, none or char", name);
}

std::string tokenize(Tokenizer tokenizer, std::string_view line) {
  switch (tokenizer) {
    case Tokenizer::k13a:
      return tokenize_13a(line);
    case Tokenizer::kInternational:
      return tokenize_international(line);
    case Tokenizer::kNone:
      return std::string(line);
    case Tokenizer::kCharacters:
      return tokenize_characters(line);
  }
  fail("unknown tokeniser {}", static_cast<int>(tokenizer));
}

std::string tokenize_tercom(std::string_view line, const TerOptions& options) {
  std::string text = options.case_sensitive ? std::string(line) : lower_case(line);
  if (options.normalized) {
    text = normalize_tercom(std::move(text));
    if (options.asian_support) text = set_asian_apart(text);
  }
  if (options.no_punctuation) {
    std::erase_if(text, [](char byte) { return std::string_view(".,?:;!\"()").find(byte) != std::string_view::npos; });
    if (options.asian_support) text = without_asian_punctuation(text);
  }
  return text;
}

}  // namespace verbund
