// SPDX-License-Identifier: Apache-2.0
#include "score/paired_test_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/utf8.h"

namespace verbund {
namespace {

constexpr double kSignificant = 0.05;

using TableRow = std::vector<std::string>;

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

// A table with lines around every cell. Cells may have several lines; the first column is right-aligned, the others are
// centred.
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

std::string cell(const SystemScore& score, int width) {
  std::string text = fmt::format("{:.{}f}", score.score, width);
  if (score.interval) {
    text += fmt::format(" ({:.{}f} ± {:.{}f})", score.interval->mean, width, score.interval->half_width, width);
  }
  if (score.p) text += fmt::format("\n(p = {:.4f}){}", *score.p, *score.p > kSignificant ? "" : "*");
  return text;
}

std::string system_name(const Comparison& comparison, size_t number, const TestOptions& options) {
  const bool is_baseline = number == 0 && options.test != PairedTest::kNone;
  return (is_baseline ? "Baseline: " : "") + comparison.systems[number];
}

std::string table(const Comparison& comparison, const TestOptions& options, int width) {
  TableRow header = {"System"};
  for (const Comparison::Column& column : comparison.columns) {
    header.push_back(column.metric + (column.scores.front().interval ? " (μ ± 95% CI)" : ""));
  }
  std::vector<TableRow> rows;
  for (size_t i = 0; i < comparison.systems.size(); ++i) {
    rows.push_back({system_name(comparison, i, options)});
    for (const Comparison::Column& column : comparison.columns) rows.back().push_back(cell(column.scores[i], width));
  }
  return boxed_table(header, rows);
}

std::string titled(const std::string& title) {
  const std::string line(title.size(), '-');
  return line + "\n" + title + "\n" + line + "\n";
}

std::string explanation(const Comparison& comparison, const TestOptions& options) {
  if (options.test == PairedTest::kNone) return "";
  const bool is_bootstrap = options.test == PairedTest::kBootstrap;
  std::string text =
      titled(is_bootstrap ? fmt::format("Paired bootstrap resampling test with {} resampling trials", options.trials)
                          : fmt::format("Paired approximate randomization test with {} trials", options.trials));
  text += fmt::format(" - Each system is compared with {}.\n", system_name(comparison, 0, options));
  if (comparison.columns.front().scores.front().interval) {
    text += "   In brackets: the mean score of resampled test sets, and half the range of 95 % of them.\n";
  }
  text +=
      " - p: how often chance alone would give a difference as large as this one, or larger, if both systems\n"
      "   translated alike. Up to 0.05 it is marked with \"*\": chance hardly explains the difference.\n"
      " - That is about these sentences. It does not say that a difference matters to anyone, nor that\n"
      "   another seed of the same training would show it.\n\n";
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const TestOptions& options, int width) {
  std::string text = table(comparison, options, width) + "\n" + explanation(comparison, options);
  text += titled("Metric signatures");
  for (const Comparison::Column& column : comparison.columns) {
    text += fmt::format(" - {:<10} {}\n", column.metric, column.signature);
  }
  return text;
}

Json comparison_json(const Comparison& comparison, const TestOptions& options, int width) {
  Json list = Json::array();
  for (size_t i = 0; i < comparison.systems.size(); ++i) {
    Json system = {{"system", system_name(comparison, i, options)}};
    for (const Comparison::Column& column : comparison.columns) {
      const SystemScore& score = column.scores[i];
      if (options.test == PairedTest::kNone) {
        system[column.metric] = fmt::format("{:.{}f}", score.score, width);
        continue;
      }
      system[column.metric] = {{"score", score.score},
                               {"p_value", score.p ? Json(*score.p) : Json()},
                               {"mean", score.interval ? Json(score.interval->mean) : Json()},
                               {"ci", score.interval ? Json(score.interval->half_width) : Json()}};
    }
    list.push_back(std::move(system));
  }
  return list;
}

}  // namespace verbund
