#include "score/tokenizer.h"

#include <unicode/uchar.h>

#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "score/rewrites.h"

namespace verbund {
namespace {

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

}  // namespace

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

}  // namespace verbund
