// SPDX-License-Identifier: Apache-2.0
#include "core/columns.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <sstream>

#include "core/utf8.h"

namespace verbund {
namespace {

size_t width_of(char32_t code_point) {
  const auto character = static_cast<UChar32>(code_point);
  if (code_point < 0x300) return 1;
  if ((U_GET_GC_MASK(character) & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) != 0) return 0;
  const int syllable = u_getIntPropertyValue(character, UCHAR_HANGUL_SYLLABLE_TYPE);
  if (syllable == U_HST_VOWEL_JAMO || syllable == U_HST_TRAILING_JAMO) return 0;  // part of the syllable before it
  const int width = u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

bool is_control(char32_t code_point) { return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0); }

// The bytes of the character at `position`; 0 if it is not UTF-8.
size_t character_size(std::string_view text, size_t position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return is_utf8(text.substr(position, size)) && position + size <= text.size() ? size : 0;
}

// Calls use(text of one character, its columns) until it returns false.
template <typename Use>
void for_characters(std::string_view text, Use use) {
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const bool readable = character_size(text, begin) > 0;
    const char32_t code_point = readable ? next_code_point(text, position) : 0;
    if (!readable) ++position;
    const bool shown = readable && !is_control(code_point);
    if (!use(shown ? text.substr(begin, position - begin) : "?", shown ? width_of(code_point) : 1)) return;
  }
}

// The size of a colour at the beginning of the text, such as "\033[31m"; 0 if there is none.
size_t colour_size(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

size_t width_without_colours(std::string_view text) {
  size_t width = 0;
  for (size_t escape; (escape = text.find("\033[")) != std::string_view::npos;) {
    width += display_width(text.substr(0, escape));
    text.remove_prefix(std::min(text.find('m', escape), text.size() - 1) + 1);
  }
  return width + display_width(text);
}

constexpr size_t kColumnGap = 2;
constexpr size_t kDeepIndent = 8;  // of a row that continues one above

bool is_command(std::string_view cell) { return cell.starts_with("verbund ") || cell.starts_with("mpirun "); }

// The position of the first blank that is not within quotes, or the size.
size_t end_of_word(std::string_view text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ' && quote == 0) return i;
    if (text[i] == quote) {
      quote = 0;
    } else if (quote == 0 && (text[i] == '"' || text[i] == '\'')) {
      quote = text[i];
    }
  }
  return text.size();
}

// RowWrapper breaks one row that is too long.
class RowWrapper {
 public:
  RowWrapper(size_t indent, size_t columns) : indent_(indent, ' '), columns_(columns) {}

  void add_cell(size_t blanks, std::string_view cell) {
    if (indent_.size() + width_without_colours(cell) <= columns_) return add(blanks, cell, "", 0);
    if (is_command(cell)) return add_command(blanks, cell);
    for (size_t end; !cell.empty(); cell.remove_prefix(std::min(end + 1, cell.size())), blanks = 1) {
      end = std::min(cell.find(' '), cell.size());
      add(blanks, cell.substr(0, end), "", 0);
    }
  }

  std::string take() { return std::move(rows_); }

 private:
  // A shell reads the rows as one command.
  void add_command(size_t blanks, std::string_view command) {
    constexpr std::string_view kGoesOn = " \\";
    const char* before = "";
    for (size_t end; !command.empty(); command.remove_prefix(std::min(end + 1, command.size())), blanks = 1) {
      end = end_of_word(command);
      add(blanks, command.substr(0, end), before, end < command.size() ? kGoesOn.size() : 0);
      before = kGoesOn.data();
    }
  }

  // `before` ends the row if the text begins another one; `reserved` columns stay free after it.
  void add(size_t blanks, std::string_view text, std::string_view before, size_t reserved) {
    const size_t own = width_without_colours(text);
    const bool has_more_room_below = !is_empty_ && width_ + blanks > indent_.size();
    if (has_more_room_below && width_ + blanks + own + reserved > columns_) {
      rows_.append(before).append("\n").append(indent_);
      width_ = indent_.size();
      blanks = 0;
    }
    rows_.append(blanks, ' ').append(text);
    width_ += blanks + own;
    is_empty_ = false;
  }

  const std::string indent_;  // of the rows after the first
  const size_t columns_;
  std::string rows_;
  size_t width_ = 0;  // of the last row
  bool is_empty_ = true;
};

// The column where the rows after the first begin.
size_t indent_of_rest(std::string_view row, size_t columns) {
  const size_t first = std::min(row.find_first_not_of(' '), row.size());
  const size_t gap = row.find("  ", first);
  const size_t second = gap == std::string_view::npos ? row.size() : row.find_first_not_of(' ', gap);
  if (first <= kDeepIndent && second < row.size()) {
    const size_t column = width_without_colours(row.substr(0, second));
    if (column <= columns / 2) return column;
  }
  return std::min(first <= kDeepIndent ? first + 2 : first, columns / 2);
}

std::string wrap_row(std::string_view row, size_t columns) {
  RowWrapper wrapper(indent_of_rest(row, columns), columns);
  size_t blanks = std::min(row.find_first_not_of(' '), row.size());
  for (row.remove_prefix(blanks); !row.empty();) {
    const size_t end = std::min(row.find("  "), row.size());
    wrapper.add_cell(blanks, row.substr(0, end));
    row.remove_prefix(end);
    blanks = std::min(row.find_first_not_of(' '), row.size());
    row.remove_prefix(blanks);
  }
  return wrapper.take();
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  for_characters(text, [&](std::string_view, size_t columns) {
    width += columns;
    return true;
  });
  return width;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of("\n\t", begin), text.size());
    for_characters(text.substr(begin, end - begin), [&](std::string_view character, size_t) {
      shown += character;
      return true;
    });
    if (end < text.size()) shown += text[end];
    begin = end + 1;
  }
  return shown;
}

std::string printable_with_colours(std::string_view text) {
  std::string shown;
  for (size_t begin = 0; begin < text.size();) {
    const size_t colour = colour_size(text.substr(begin));
    shown += text.substr(begin, colour);
    begin += colour;
    const size_t end = std::min(text.find('\033', begin + (colour == 0 ? 1 : 0)), text.size());
    shown += printable(text.substr(begin, end - begin));
    begin = end;
  }
  return shown;
}

std::string fit_columns(std::string_view text, size_t columns) {
  std::string line;
  size_t width = 0;
  for_characters(text, [&](std::string_view character, size_t own) {
    width += own;
    if (width <= columns) line += character;
    return width <= columns;
  });
  return line;
}

std::vector<std::string> wrap_words(std::string_view text, size_t columns) {
  std::vector<std::string> lines(1);
  size_t width = 0;  // of the last line
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const size_t own = display_width(word);
    if (width > 0 && width + 1 + own > columns) {
      lines.emplace_back();
      width = 0;
    }
    width += own + (width > 0 ? 1 : 0);
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::vector<std::string> first_lines(std::string_view text, size_t columns, size_t count) {
  std::vector<std::string> lines;
  for (const std::string& line : wrap_words(text, columns)) {
    for (std::string rest = fit_columns(line, line.size()); lines.size() <= count && !rest.empty();) {
      lines.push_back(fit_columns(rest, columns));
      rest.erase(0, std::max<size_t>(1, lines.back().size()));
    }
  }
  if (lines.empty()) lines.emplace_back();
  if (lines.size() <= count) return lines;
  lines.resize(count);
  std::string& last = lines.back();
  const bool has_room = display_width(last) + 2 <= columns;
  last = has_room ? last + " …" : fit_columns(last, columns - 1) + "…";
  return lines;
}

std::string layout_table(const std::vector<std::vector<std::string>>& rows, size_t columns) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (size_t begin = 1; begin < widths.size();) {
    size_t end = begin, width = widths[0];
    do width += kColumnGap + widths[end++];
    while (end < widths.size() && width + kColumnGap + widths[end] <= columns);
    if (begin > 1) text += "\n";
    for (const auto& row : rows) {
      text.append(widths[0] - display_width(row[0]), ' ').append(row[0]);
      for (size_t i = begin; i < end; ++i) {
        text.append(kColumnGap + widths[i] - display_width(row[i]), ' ').append(row[i]);
      }
      text += "\n";
    }
    begin = end;
  }
  return text;
}

std::string wrap_rows(std::string_view text, size_t columns) {
  std::string wrapped;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    wrapped += width_without_colours(row) <= columns ? std::string(row) : wrap_row(row, columns);
    if (end == text.size()) return wrapped;
    wrapped += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace verbund
