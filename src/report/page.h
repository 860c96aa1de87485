// A report before it is HTML, Markdown or JSON: a head, verdicts, and sections of paragraphs, tables, charts and code.
// A report on one run and a comparison of several are both such pages.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/chart.h"
#include "report/verdict.h"

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
  std::optional<double> value;  // for JSON, if it is a number

  Cell(std::string shown = "") : text(std::move(shown)) {}
  Cell(const char* shown) : text(shown) {}
  Cell(std::string shown, double number) : text(std::move(shown)), value(number) {}
};

struct Column {
  std::string name;
  bool number = false;  // aligned to the right
  bool prose = false;   // text of others, in any language: wraps, and is isolated
};

struct Table {
  std::string id;  // key in JSON
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string folded;  // not empty: shown only when asked for, under these words
};

using Block = std::variant<Paragraph, Heading, Code, Table, Chart>;

struct Section {
  std::string id;  // "ledger"
  std::string title;
  std::vector<Block> blocks;
};

// A fact of the head: "steps", "12,000".
struct Fact {
  std::string name, value;
};

struct Page {
  std::string kind;   // "Training run", "Comparison of 3 runs"
  std::string title;  // the run's name
  std::vector<Fact> facts;
  std::vector<std::string> notes;  // "still running: ..."
  std::vector<Verdict> verdicts;
  std::vector<Section> sections;
  std::string made;  // "Made by verbund ... at ...", at the foot
};

// "12.3 s (11.9 to 12.8; 80 % interval, block bootstrap)"
std::string figure_text(const Figure& figure);
std::string value_text(const Figure& figure);     // "12.3 s"
std::string interval_text(const Figure& figure);  // "11.9 to 12.8"; "" if there is none

}  // namespace verbund
