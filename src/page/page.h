// SPDX-License-Identifier: Apache-2.0
// Page is a report before it becomes HTML, Markdown or JSON: a head, a strip of charts, verdicts, and sections of
// paragraphs, tables, charts and code. The report on one run and the comparison of several are pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/json.h"
#include "page/chart.h"
#include "page/verdict.h"

namespace verbund {

struct Paragraph {
  std::string text;
};

struct Heading {  // within a section
  std::string text;
};

struct Code {
  std::string text;
};

struct Cell {
  std::string text;
  std::optional<double> value;  // for JSON, if the cell is a number

  Cell(std::string shown = "") : text(std::move(shown)) {}
  Cell(const char* shown) : text(shown) {}
  Cell(std::string shown, double number) : text(std::move(shown)), value(number) {}
};

struct Column {
  std::string name;
  bool number = false;  // aligned to the right
  bool prose = false;   // foreign text in any language: wraps, and is isolated
};

struct Table {
  std::string id;  // key in JSON
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string folded;  // not empty: the table is folded under this label
};

using Block = std::variant<Paragraph, Heading, Code, Table, Chart>;

struct Section {
  std::string id;  // "ledger"
  std::string title;
  std::vector<Block> blocks;
};

// A fact of the page's head: "steps", "12,000".
struct Fact {
  std::string name, value;
};

struct Page {
  std::string kind;                   // "Training run", "Comparison of 3 runs"
  std::string title;                  // the run's name
  std::string state;                  // "finished", "running"; "" if it has none
  Grade condition = Grade::kNeutral;  // of that state
  std::string summary;                // the page in one sentence
  std::vector<Chart> strip;           // the charts of the first screen
  std::vector<Fact> facts;
  std::vector<std::string> notes;  // "still running: ..."
  std::vector<Verdict> verdicts;
  bool folds_unknown = false;  // answers that cannot be told come last and share one line; JSON has each
  std::vector<Section> sections;
  std::string made;  // the footer: "Made by verbund ... at ..."
};

// Labels of a verdict's rule and of its advice.
inline constexpr const char* kHowDecided = "How this was decided";
inline constexpr const char* kHowToChange = "How to change this";

// The verdicts as people see them.
std::vector<Verdict> shown_verdicts(const Page& page);

// The rows of a table that people see: all, or the first and the last of a long one. JSON has all.
struct ShownRows {
  size_t first = 0;     // so many are shown before those that are left out
  size_t left_out = 0;  // so many follow, which are not shown
  std::string note;     // on what was left out
};
ShownRows shown_rows(const Table& table);

// One HTML file without scripts, network access or other files. Everything that comes from a run is escaped.
std::string html_page(const Page& page);

// The same as Markdown, for terminals, e-mail and repositories, with tables instead of drawings.
std::string markdown_page(const Page& page);

// Every figure, finding, table and series for programs; unknown numbers are null. See docs/report.md.
Json json_page(const Page& page);

}  // namespace verbund
