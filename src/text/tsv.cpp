// SPDX-License-Identifier: Apache-2.0
#include "text/tsv.h"

#include <strings.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/byte_order_mark.h"
#include "core/error.h"
#include "text/language.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

using Cells = std::vector<std::string_view>;

void split_cells(std::string_view line, Cells& cells) {
  cells.clear();
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool is_same_name(std::string_view one, std::string_view other) {
  return one.size() == other.size() && strncasecmp(one.data(), other.data(), one.size()) == 0;
}

// The column of that name; else the only one whose name is a language of that code.
std::optional<size_t> find_column(const Cells& header, const std::string& name, bool is_language) {
  const auto find = [&](size_t begin, const auto& is_it) -> std::optional<size_t> {
    const auto from = header.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto found = std::find_if(from, header.end(), is_it);
    if (found == header.end()) return std::nullopt;
    return static_cast<size_t>(found - header.begin());
  };
  const auto exact = find(0, [&](std::string_view cell) { return is_same_name(cell, name); });
  if (exact || !is_language) return exact;
  const std::string english = language_name(name), code = language_code(name);
  const auto is_it = [&](std::string_view cell) {
    return is_same_name(cell, english) || languages_fit(language_code(cell), code);
  };
  const auto first = find(0, is_it);
  return first && find(*first + 1, is_it) ? std::nullopt : first;
}

struct Columns {
  std::optional<size_t> source, target;

  bool are_both() const { return source && target && *source != *target; }
};

Columns find_columns(const Cells& header, const ParallelFiles& files) {
  const bool languages = files.columns.empty();
  return {find_column(header, files.sides()[0], languages), find_column(header, files.sides()[1], languages)};
}

class TsvStream final : public PairStream {
 public:
  TsvStream(const ParallelFiles& files, bool named) : reader_(files.both()) {
    if (!named) return;
    reader_.next_line(line_);
    Cells header;
    split_cells(without_byte_order_mark(line_), header);
    const Columns columns = find_columns(header, files);
    if (!columns.source || !columns.target) {
      fail("{} line 1 has the columns {}, but not {}. Name two of them with columns: [SOURCE, TARGET].",
           reader_.path().string(), fmt::join(header, ", "), files.sides()[columns.source ? 1 : 0]);
    }
    source_ = *columns.source;
    target_ = *columns.target;
  }

  // Further columns (scores, origins) are common, and ignored.
  bool read(PairBlock& block) override {
    if (!reader_.next_line(line_)) return false;
    split_cells(reader_.lines() == 1 ? without_byte_order_mark(line_) : line_, cells_);
    if (const size_t needed = std::max(source_, target_) + 1; cells_.size() < needed) {
      fail("{} line {} has {} column{}, but {} needed: \"{:.60}\"", reader_.path().string(), reader_.lines(),
           cells_.size(), cells_.size() == 1 ? "" : "s",
           needed == 2 ? "source TAB target is" : fmt::format("{} are", needed), line_);
    }
    block.add(cells_[source_], cells_[target_], reader_.lines());
    return true;
  }
  uint64_t position() const override { return reader_.position(); }

 private:
  LineReader reader_;
  size_t source_ = 0, target_ = 1;
  std::string line_;
  Cells cells_;
};

}  // namespace

bool names_columns(std::string_view first_line, const ParallelFiles& files) {
  if (!files.columns.empty()) return true;
  if (files.languages.empty()) return false;
  Cells cells;
  split_cells(first_line, cells);
  const Columns columns = find_columns(cells, files);
  if (columns.are_both()) return true;
  if (!columns.source && !columns.target) return false;
  const std::string &source = files.languages[0], &target = files.languages[1];
  fail(
      "{} line 1 is {}: it names the column {}, but none for {}. Name two of them with columns: [SOURCE, TARGET]. If "
      "that line is a pair, give the file as --tsv.",
      files.both(), fmt::join(cells, ", "), cells[columns.source ? *columns.source : *columns.target],
      columns.source ? target : source);
}

std::string describe_tsv(std::string_view first_line, const ParallelFiles& files, bool named) {
  Cells cells;
  split_cells(first_line, cells);
  if (named) {
    const Columns columns = find_columns(cells, files);
    if (!columns.source || !columns.target) return "TSV";  // reading it will fail
    return fmt::format("TSV with the columns {} and {}", cells[*columns.source], cells[*columns.target]);
  }
  if (cells.size() < 2) return "TSV";
  const std::string pair = fmt::format("the first pair is \"{:.30}\" TAB \"{:.30}\"", cells[0], cells[1]);
  if (cells.size() == 2) return "TSV: source TAB target; " + pair;
  return fmt::format("TSV of {} columns without names, of which 1 and 2 are used; {}", cells.size(), pair);
}

std::unique_ptr<PairStream> open_tsv(const ParallelFiles& files, bool named) {
  return std::make_unique<TsvStream>(files, named);
}

}  // namespace verbund
