// SPDX-License-Identifier: Apache-2.0
#include "decode/translation_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "core/error.h"
#include "core/human.h"
#include "core/json.h"
#include "core/log.h"
#include "core/output.h"

namespace verbund {
namespace {

constexpr std::chrono::milliseconds kPauseOfInput{100};

std::string show_alignment(const Translation& translation) {
  std::vector<std::string> pairs;
  for (const auto& [source, target] : translation.alignment) pairs.push_back(fmt::format("{}-{}", source, target));
  return fmt::format("{}", fmt::join(pairs, " "));
}

std::string show_as_json(const LineFormat& format, const std::string& input, const Line& line,
                         const std::vector<std::string>& source_pieces, const std::vector<Translation>& translations) {
  Json object = {{"line", line.number}, {"source", line.text}};
  if (format.column > 0) object["columns"] = split_columns(input);
  if (format.alignment) object["source_pieces"] = source_pieces;
  for (const Translation& translation : translations) {
    Json each = {{"text", translation.text}, {"score", translation.score}};
    if (!translation.finished) each["finished"] = false;
    if (format.alignment) {
      each["pieces"] = translation.pieces;
      each["alignment"] = translation.alignment;
    }
    object["translations"].push_back(each);
  }
  return dump_json(object) + "\n";  // other columns may be any bytes
}

}  // namespace

std::vector<std::string> split_columns(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char c : line) {
    if (c == '\t') {
      columns.emplace_back();
    } else {
      columns.back() += c;
    }
  }
  return columns;
}

bool begins_with_tag(std::string_view line, const std::vector<std::string>& tags) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.empty() || std::ranges::any_of(tags, [&](const std::string& tag) { return line.starts_with(tag); });
}

Line parse_line(const LineFormat& format, const std::string& input, uint64_t number) {
  Line line = {input, format.prefix, number};
  if (format.column == 0) return line;
  const std::vector<std::string> columns = split_columns(input);
  const auto needed = static_cast<size_t>(std::max(format.column, format.prefix_column));
  if (columns.size() < needed) fail("line {} has {} columns, but column {} is needed", number, columns.size(), needed);
  line.text = columns[static_cast<size_t>(format.column) - 1];
  if (format.prefix_column > 0) line.prefix = columns[static_cast<size_t>(format.prefix_column) - 1];
  return line;
}

std::string show_translations(const LineFormat& format, const std::string& input, const Line& line,
                              const std::vector<std::string>& source_pieces,
                              const std::vector<Translation>& translations) {
  if (format.json) return show_as_json(format, input, line, source_pieces, translations);
  std::string text;
  for (const Translation& translation : translations) {
    if (format.column > 0) text += input + "\t";
    if (format.numbers) text += fmt::format("{}\t", line.number);
    if (format.scores) text += fmt::format("{:.4f}\t", translation.score);
    text += translation.text;
    if (format.alignment) text += "\t" + show_alignment(translation);
    text += "\n";
  }
  return text;
}

LineWindow read_window(const LineFormat& format, const std::function<void(const Line&)>& check, LineReader& reader,
                       size_t max_lines, std::chrono::milliseconds pause, uint64_t& number) {
  LineWindow window;
  while (window.lines.size() < max_lines && (window.lines.empty() || reader.ready(pause))) {
    std::string text;
    if (!(window.more = reader.next_line(text))) break;
    try {
      Line line = parse_line(format, text, reader.lines());
      check(line);
      line.number = ++number;
      window.lines.push_back(line);
      window.inputs.push_back(text);
    } catch (const Error& error) {
      window.bad_line = fmt::format("{}{}", reader.path() == "-" ? "" : reader.path().string() + ": ", error.what());
      break;
    }
  }
  return window;
}

void TranslationTally::add(const Line& line, const std::vector<Translation>& translations) {
  for (const Translation& each : translations) cut_ += each.finished ? 0 : 1;
  if (translations.front().split && split_++ == 0) first_split_ = line.number;
}

std::vector<std::string> TranslationTally::warnings() const {
  std::vector<std::string> warnings;
  if (split_ > 0) {
    warnings.push_back(
        fmt::format("{} translated sentence by sentence, because decode.max_tokens limits the length of a line",
                    split_ == 1 ? fmt::format("line {} was", first_split_)
                                : fmt::format("{} lines (the first is line {}) were", split_, first_split_)));
  }
  if (cut_ > 0) {
    warnings.push_back(
        fmt::format("{} translations were cut at the maximum length (decode.max_ratio, decode.max_extra)", cut_));
  }
  return warnings;
}

void TranslationStream::check(const Line& line) {
  translator_.check(line);
  if (tags_.empty() || begins_with_tag(line.text, tags_)) return;
  warn(
      "line {} does not begin with a tag, as all text did that the model was trained on ({}). Put one before every "
      "sentence: --tag {}",
      line.number, fmt::join(tags_, ", "), shell_line({tags_.front()}));
  tags_.clear();
}

void TranslationStream::translate_file(const std::string& file, const StreamProgress& progress) {
  LineReader reader(file);
  const bool prompt = interactive_ && ::isatty(STDIN_FILENO) == 1;
  for (bool more = true; more;) {
    if (prompt) std::cout << "> ";
    flush_output();
    const LineWindow window = read_window(
        format_, [this](const Line& line) { check(line); }, reader, window_, kPauseOfInput, lines_);
    const auto translations = translation_.translate(
        window.lines, [&](size_t done) { progress.update(reader.position(), done, window.lines.size()); });
    progress.end_window(reader.position());
    for (size_t i = 0; i < window.lines.size(); ++i) {
      const Line& line = window.lines[i];
      const bool with_pieces = format_.json && format_.alignment;
      print_output(show_translations(format_, window.inputs[i], line,
                                     with_pieces ? translator_.source_pieces(line.text) : std::vector<std::string>(),
                                     translations[i]));
      tally_.add(line, translations[i]);
    }
    flush_output();
    if (!window.bad_line.empty() && !interactive_) fail("{}", window.bad_line);
    if (!window.bad_line.empty()) warn("{}", window.bad_line);
    more = window.more;
  }
  progress.end_file(reader.position());
}

void TranslationStream::warn_of_cut_lines() const {
  for (const std::string& warning : tally_.warnings()) warn("{}", warning);
}

}  // namespace verbund
