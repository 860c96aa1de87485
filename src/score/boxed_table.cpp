#include "score/boxed_table.h"

#include <algorithm>

#include "core/utf8.h"

namespace verbund {
namespace {

size_t width_of(const std::string& text) { return is_utf8(text) ? to_code_points(text).size() : text.size(); }

TableRow lines_of(const std::string& cell) {
  TableRow lines(1);
  for (const char byte : cell) {
    if (byte == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += byte;
    }
  }
  return lines;
}

std::string padded(const std::string& text, size_t width, bool to_the_right) {
  const size_t space = width - width_of(text), left = to_the_right ? space : space / 2;
  return std::string(left + 1, ' ') + text + std::string(space - left + 1, ' ');
}

std::string rule(const std::vector<size_t>& widths, const char* left, const char* line, const char* crossing,
                 const char* right) {
  std::string text;
  for (size_t i = 0; i < widths.size(); ++i) {
    text += i == 0 ? left : crossing;
    for (size_t j = 0; j < widths[i] + 2; ++j) text += line;
  }
  return text + right + "\n";
}

std::string row_text(const TableRow& row, const std::vector<size_t>& widths) {
  std::vector<TableRow> cells;
  size_t height = 0;
  for (const std::string& cell : row) {
    cells.push_back(lines_of(cell));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (size_t line = 0; line < height; ++line) {
    for (size_t i = 0; i < cells.size(); ++i) {
      text += "│" + padded(line < cells[i].size() ? cells[i][line] : "", widths[i], i == 0);
    }
    text += "│\n";
  }
  return text;
}

}  // namespace

std::string boxed_table(const TableRow& header, const std::vector<TableRow>& rows) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < header.size(); ++i) {
    widths.push_back(width_of(header[i]) + 2);
    for (const TableRow& row : rows) {
      for (const std::string& line : lines_of(row[i])) widths[i] = std::max(widths[i], width_of(line));
    }
  }
  std::string text = rule(widths, "╒", "═", "╤", "╕") + row_text(header, widths);
  for (size_t i = 0; i < rows.size(); ++i) {
    text += i == 0 ? rule(widths, "╞", "═", "╪", "╡") : rule(widths, "├", "─", "┼", "┤");
    text += row_text(rows[i], widths);
  }
  return text + rule(widths, "╘", "═", "╧", "╛");
}

}  // namespace verbund
