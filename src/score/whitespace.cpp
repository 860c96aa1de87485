#include "score/whitespace.h"

#include "core/utf8.h"

namespace verbund {

bool is_wide_whitespace(char32_t code_point) {
  switch (code_point) {
    case 0x0085:  // next line
    case 0x00A0:  // no-break space
    case 0x1680:  // ogham space
    case 0x2028:  // line separator
    case 0x2029:  // paragraph separator
    case 0x202F:  // narrow no-break space
    case 0x205F:  // mathematical space
    case 0x3000:  // ideographic space
      return true;
    default:
      return code_point >= 0x2000 && code_point <= 0x200A;  // en quad to hair space
  }
}

std::string_view trim_right(std::string_view text) {
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while ((static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
    size_t position = start;
    if (!is_whitespace(next_code_point(text, position))) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

void split_words(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  size_t word_start = 0;
  for (size_t position = 0; position < text.size();) {
    const size_t start = position;
    if (!is_whitespace(next_code_point(text, position))) continue;
    if (start > word_start) words.push_back(text.substr(word_start, start - word_start));
    word_start = position;
  }
  if (word_start < text.size()) words.push_back(text.substr(word_start));
}

}  // namespace verbund
