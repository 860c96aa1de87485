// SPDX-License-Identifier: Apache-2.0
#include "page/escape.h"

#include <algorithm>

#include "core/utf8.h"

namespace verbund {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

bool is_control(char32_t c) {
  // Includes bidirectional embeddings and overrides, which would turn the direction of the following text.
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0xfeff;
}

// The longest valid character at `position`, or 0 bytes.
size_t valid_length(std::string_view text, size_t position) {
  for (size_t length = 1; length <= 4 && position + length <= text.size(); ++length) {
    if (is_utf8(text.substr(position, length))) return length;
  }
  return 0;
}

// Calls `use` with each character as UTF-8.
template <typename Use>
void for_each_character(std::string_view text, Use use) {
  for (size_t position = 0; position < text.size();) {
    const size_t length = valid_length(text, position);
    if (length == 0) {
      use(kReplacement);
      ++position;
      continue;
    }
    size_t start = position;
    const char32_t c = next_code_point(text, start);
    use(is_control(c) ? kReplacement : text.substr(position, length));
    position += length;
  }
}

// "1. text" would begin a list.
std::string without_list_number(std::string line) {
  const size_t first = line.find_first_not_of(' ');
  const size_t end = line.find_first_not_of("0123456789", first);
  if (first == std::string::npos || end == std::string::npos || end == first) return line;
  const bool is_item = (line[end] == '.' || line[end] == ')') && (end + 1 == line.size() || line[end + 1] == ' ');
  if (is_item) line.insert(end, 1, '\\');
  return line;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for_each_character(text, [&](std::string_view character) {
    switch (character[0]) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += character;
    }
  });
  return result;
}

std::string escape_markdown(std::string_view text) {
  std::string result;
  constexpr std::string_view kMarks = "\\`*_[]|~$", kMarksAtTheStart = "#+-=";  // a heading, list or rule
  bool start = true;                                                            // only blanks so far
  for_each_character(text, [&](std::string_view character) {
    const char c = character[0];
    if (c == '\n' || c == '\t') {
      result += ' ';
      return;
    }
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (kMarks.find(c) != std::string_view::npos ||
               (start && kMarksAtTheStart.find(c) != std::string_view::npos)) {
      result += '\\';
      result += c;
    } else if (c == ':' && (result.ends_with("http") || result.ends_with("https") || result.ends_with("ftp"))) {
      result += "&#58;";  // no automatic link
    } else {
      result += character;
    }
    if (c != ' ') start = false;
  });
  return without_list_number(std::move(result));
}

std::string markdown_code_block(std::string_view text) {
  size_t longest = 2, row = 0;
  std::string clean;
  for_each_character(text, [&](std::string_view character) {
    row = character == "`" ? row + 1 : 0;
    longest = std::max(longest, row);
    clean += character;
  });
  const std::string fence(longest + 1, '`');
  return fence + "\n" + clean + (clean.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string shortened(std::string_view text, size_t characters) {
  std::string result;
  size_t count = 0;
  for_each_character(text, [&](std::string_view character) {
    if (++count > characters) return;
    result += character == "\n" || character == "\t" ? " " : character;
  });
  return count > characters ? result + "…" : result;
}

}  // namespace verbund
