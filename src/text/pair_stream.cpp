// SPDX-License-Identifier: Apache-2.0
#include "text/pair_stream.h"

#include <algorithm>

#include "core/byte_order_mark.h"
#include "core/error.h"
#include "core/json.h"
#include "text/head_of_file.h"
#include "text/line_reader.h"
#include "text/tsv.h"

namespace verbund {
namespace {

class TwoFileStream final : public PairStream {
 public:
  explicit TwoFileStream(const ParallelFiles& files) : source_(files.source), target_(files.target) {}

  bool read(PairBlock& block) override {
    const bool more_source = source_.next_line(source_line_);
    const bool more_target = target_.next_line(target_line_);
    if (more_source != more_target) fail_unequal(!more_source);
    const auto text = [&](std::string_view line) {
      return source_.lines() == 1 ? without_byte_order_mark(line) : line;
    };
    if (more_source) block.add(text(source_line_), text(target_line_), source_.lines());
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

// The first line, without a byte order mark and line end; `head` is the head of the file.
std::string_view first_line(std::string_view head) {
  std::string_view line = without_byte_order_mark(head.substr(0, head.find('\n')));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

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
  const std::string_view line = first_line(head);
  const bool is_whole = head.find('\n') != std::string::npos || head.size() < kHeadOfFile;
  if (is_json_object(line, is_whole)) return PairFormat::kJsonLines;
  if (markup.empty() && line.find('\t') != std::string::npos) {
    return names_columns(line, files) ? PairFormat::kNamedTsv : PairFormat::kTsv;
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
    case PairFormat::kNamedTsv:
      return describe_tsv(first_line(head_of_file(files.both())), files, format == PairFormat::kNamedTsv);
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
      return open_tsv(files, format == PairFormat::kNamedTsv);
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
