// Whitespace as the definition of the metrics means it: Unicode's spaces and line
// separators (U+00A0 too), and the ASCII separators U+001C to U+001F. All text is valid UTF-8.
#pragma once

#include <string_view>
#include <vector>

namespace verbund {

bool is_wide_whitespace(char32_t code_point);  // beyond ASCII

inline bool is_whitespace(char32_t code_point) {
  if (code_point >= 0x80) return is_wide_whitespace(code_point);
  return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0D) || (code_point >= 0x1C && code_point <= 0x1F);
}

// `text` without the whitespace at its end.
std::string_view trim_right(std::string_view text);

// Replaces `words` by what stands between runs of whitespace. They point into `text`.
void split_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace verbund
