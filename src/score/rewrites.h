// What the tokenisers' rules are made of. They are rewrites, each applied to the whole line from left to right before
// the next one starts. A rewrite consumes what it matches: in "a..", the first dot goes with the "a" and is not there
// any more to go with the second. So the passes stay separate. `Text` is bytes where only ASCII matters, and code
// points elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "core/interrupt.h"

namespace verbund {

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

inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
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

// Lambdas rather than functions, so that the passes above have them inlined.
inline constexpr auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
inline constexpr auto is_not_digit = [](char byte) { return !is_digit(byte); };
inline constexpr auto is_point_or_comma = [](char byte) { return byte == '.' || byte == ','; };
inline constexpr auto is_dash = [](char byte) { return byte == '-'; };

// ASCII punctuation except ' , - .
inline constexpr auto is_mteval_punctuation = [](char byte) {
  return (byte >= '!' && byte <= '&') || (byte >= '(' && byte <= '+') || byte == '/' || (byte >= ':' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
};

inline void decode_entities(std::string& text) {
  if (text.find('&') == std::string::npos) return;
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

// Points and commas stay in numbers only; a dash after a digit is a word.
inline std::string detach_points_and_dashes(std::string text) {
  text = detach_in_pairs<Detach::kSecond>(text, is_not_digit, is_point_or_comma);
  text = detach_in_pairs<Detach::kFirst>(text, is_point_or_comma, is_not_digit);
  return detach_in_pairs<Detach::kSecond>(text, is_digit, is_dash);
}

}  // namespace verbund
