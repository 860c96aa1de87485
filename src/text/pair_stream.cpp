// SPDX-License-Identifier: Apache-2.0
#include "text/pair_stream.h"

#include <strings.h>
#include <algorithm>

#include "core/byte_order_mark.h"
#include "core/error.h"
#include "core/json.h"
#include "text/head_of_file.h"
#include "text/line_reader.h"
#include "text/suspect_format.h"

namespace verbund {
namespace {

class TwoFileStream final : public PairStream {
 public:
  explicit TwoFileStream(const ParallelFiles& files) : source_(files.source), target_(files.target) {}

  bool read(PairBlock& block) override {
    const bool more_source = source_.next_line(source_line_);
    const bool more_target = target_.next_line(target_line_);
    if (more_source != more_target) fail_unequal(!more_source);
    if (more_source) block.add(source_line_, target_line_, source_.lines());
    return more_source;
  }
  uint64_t position() const override { return source_.position() + target_.position(); }

 private:
  [[noreturn]] void fail_unequal(bool source_ended) {
    LineReader& longer = source_ended ? target_ : source_;
    std::string line;
    while (longer.next_line(line)) {
    }
    fail("{} has {} lines but {} has {}: the sides must be parallel, one sentence per line.", source_.path().string(),
         source_.lines(), target_.path().string(), target_.lines());
  }

  LineReader source_, target_;
  std::string source_line_, target_line_;
};

using Cells = std::vector<std::string_view>;

void split_cells(std::string_view line, Cells& cells) {
  cells.clear();
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

// The number of the column of that name; that of no column if there is none.
size_t find_column(const Cells& header, const std::string& name) {
  const auto is_it = [&](std::string_view cell) {
    return cell.size() == name.size() && strncasecmp(cell.data(), name.data(), name.size()) == 0;
  };
  return static_cast<size_t>(std::find_if(header.begin(), header.end(), is_it) - header.begin());
}

bool has_columns(std::string_view header, const std::vector<std::string>& names) {
  Cells cells;
  split_cells(header, cells);
  const auto is_there = [&](const std::string& name) { return find_column(cells, name) < cells.size(); };
  return !names.empty() && std::all_of(names.begin(), names.end(), is_there);
}

class TsvStream final : public PairStream {
 public:
  TsvStream(const ParallelFiles& files, bool named) : reader_(files.both()) {
    if (!named) return;
    reader_.next_line(line_);
    Cells header;
    split_cells(without_byte_order_mark(line_), header);
    source_ = find_column(header, files.sides()[0]);
    target_ = find_column(header, files.sides()[1]);
    if (source_ < header.size() && target_ < header.size()) return;
    fail("{} line 1 has the columns {}, but not {}. Name two of them with columns: [SOURCE, TARGET].",
         reader_.path().string(), fmt::join(header, ", "),
         source_ < header.size() ? files.sides()[1] : files.sides()[0]);
  }

  // Further columns (scores, origins) are common, and ignored.
  bool read(PairBlock& block) override {
    if (!reader_.next_line(line_)) return false;
    split_cells(line_, cells_);
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

// Whether the first line is a JSON object, or begins as one and is longer than the head of the file.
bool is_json_object(std::string_view line, bool is_whole) {
  if (is_whole) return try_parse_json(std::string(line)).is_object();
  return line.starts_with('{') && line.find_first_not_of(' ', 1) == line.find('"') && line.find('\t') == line.npos;
}

// Judges by the head of the file: its first line may be all of it, and large.
PairFormat recognise_file(const ParallelFiles& files) {
  const std::string& file = files.pairs;
  const std::string head = head_of_file(file);
  const std::string markup = markup_of(head);
  if (markup == "TMX") return PairFormat::kTmx;
  const size_t end = head.find('\n');
  std::string_view line = without_byte_order_mark(std::string_view(head).substr(0, end));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const bool is_whole = end != std::string::npos || head.size() < kHeadOfFile;
  if (is_json_object(line, is_whole)) return PairFormat::kJsonLines;
  if (markup.empty() && line.find('\t') != std::string::npos) {
    const bool named = !files.columns.empty() || has_columns(line, files.languages);
    return named ? PairFormat::kNamedTsv : PairFormat::kTsv;
  }
  std::string looks;
  if (!markup.empty()) looks = fmt::format("It looks like {}. ", markup);
  if (line.starts_with("[")) looks = "It looks like one JSON array: write one object a line (jq -c '.[]' FILE). ";
  if (line.starts_with("{")) looks = "It looks like JSON, but its first line is not a whole object. ";
  if (line.starts_with("PAR1")) looks = "It looks like Parquet: save it as JSON lines first. ";
  if (line.starts_with("PK\3\4")) looks = "It looks like a zip archive: extract it first. ";
  fail(
      "cannot tell the format of {}: it is neither TMX nor JSON lines, and its first line has no tab as in TSV. {}Two "
      "files of plain text are given as source and target.",
      file, looks);
}

}  // namespace

void PairBlock::add(std::string_view source, std::string_view target, uint64_t line) {
  source_.append(source);
  target_.append(target);
  source_ends_.push_back(source_.size());
  target_ends_.push_back(target_.size());
  lines_.push_back(line);
  source_bytes += source.size() + 1;
  target_bytes += target.size() + 1;
}

PairFormat recognise_format(const ParallelFiles& files) {
  if (files.both().empty()) return PairFormat::kTwoFiles;
  if (!files.tsv.empty()) return files.columns.empty() ? PairFormat::kTsv : PairFormat::kNamedTsv;
  return recognise_file(files);
}

std::string describe_format(PairFormat format, const ParallelFiles& files) {
  switch (format) {
    case PairFormat::kTwoFiles:
      return "plain text, a file for each side";
    case PairFormat::kTsv:
      return "TSV: source TAB target";
    case PairFormat::kNamedTsv:
      return fmt::format("TSV with the columns {}", fmt::join(files.sides(), " and "));
    case PairFormat::kJsonLines:
      return fmt::format("JSON lines with the keys {}", fmt::join(files.sides(), " and "));
    case PairFormat::kTmx:
      return fmt::format("TMX with the languages {}", fmt::join(files.sides(), " and "));
  }
  return "";
}

std::unique_ptr<PairStream> open_pairs(const ParallelFiles& files) {
  switch (const PairFormat format = recognise_format(files)) {
    case PairFormat::kTwoFiles:
      return std::make_unique<TwoFileStream>(files);
    case PairFormat::kTsv:
    case PairFormat::kNamedTsv:
      return std::make_unique<TsvStream>(files, format == PairFormat::kNamedTsv);
    case PairFormat::kJsonLines:
      return open_json_lines(files);
    case PairFormat::kTmx:
      return open_tmx(files);
  }
  return nullptr;
}

std::string one_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string line;
  for (size_t begin = text.find_first_not_of(kBlanks); begin < text.size();) {
    const size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    line.append(text.substr(begin, end - begin));
    begin = std::min(text.find_first_not_of(kBlanks, end), text.size());
    if (begin == text.size()) break;
    const std::string_view blanks = text.substr(end, begin - end);
    line.append(blanks.find_first_not_of(' ') == std::string_view::npos ? blanks : " ");
  }
  return line;
}

}  // namespace verbund
