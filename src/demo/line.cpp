#include "demo/line.h"

namespace verbund::demo {

void Line::add(std::string_view words) {
  while (words.ends_with(' ')) words.remove_suffix(1);
  if (words.empty()) return;
  if (comma_pending_) text_ += ',';
  comma_pending_ = false;
  if (!text_.empty()) text_ += ' ';
  text_ += words;
}

std::string Line::finish(char mark) {
  text_ += mark;
  char& first = text_[0];
  if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
  // ä, ö and ü are two bytes; their capitals differ in the second by 0x20.
  const bool umlaut = first == '\xC3' && static_cast<unsigned char>(text_[1]) >= 0xA0;
  if (umlaut) text_[1] = static_cast<char>(text_[1] - 0x20);
  return std::move(text_);
}

}  // namespace verbund::demo
