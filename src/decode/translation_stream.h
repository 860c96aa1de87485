// SPDX-License-Identifier: Apache-2.0
// TranslationStream translates text files line by line: it reads a window of lines, translates them with all workers,
// and prints the results in the order of the input, as text, TSV columns or JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/shared_translation.h"
#include "decode/translator.h"
#include "text/line_reader.h"

namespace verbund {

// The columns of the input, and what is printed of each translation.
struct LineFormat {
  int64_t column = 0;         // of the source text, from 1; 0: the whole line
  int64_t prefix_column = 0;  // of the prefix, from 1; 0: none
  std::string prefix;         // of every translation
  bool json = false, scores = false, alignment = false;
  bool numbers = false;  // the line's number before each of its translations
};

std::vector<std::string> split_columns(const std::string& line);

// Whether a line begins with one of the tags, or is empty.
bool begins_with_tag(std::string_view line, const std::vector<std::string>& tags);

// Refuses a line with too few columns.
Line parse_line(const LineFormat& format, const std::string& input, uint64_t number);

// All translations of a line, a line each: [input columns,] [number,] [score,] translation [, alignment]; or one JSON
// object. `source_pieces` are shown in JSON with an alignment.
std::string show_translations(const LineFormat& format, const std::string& input, const Line& line,
                              const std::vector<std::string>& source_pieces,
                              const std::vector<Translation>& translations);

// Lines that are translated together.
struct LineWindow {
  std::vector<std::string> inputs;
  std::vector<Line> lines;
  std::string bad_line;  // the problem with the line after these, if there is one
  bool more = true;
};

// At most `max_lines` lines: those that have arrived, until the next one takes longer than `pause`. `check` refuses a
// line by throwing. `number` counts the lines of all files.
LineWindow read_window(const LineFormat& format, const std::function<void(const Line&)>& check, LineReader& reader,
                       size_t max_lines, std::chrono::milliseconds pause, uint64_t& number);

// Counts the lines that were split and the translations that were cut, for warnings at the end.
class TranslationTally {
 public:
  void add(const Line& line, const std::vector<Translation>& translations);
  std::vector<std::string> warnings() const;

 private:
  uint64_t cut_ = 0;
  uint64_t split_ = 0, first_split_ = 0;
};

// Told how far a file has been read, as a position in it.
struct StreamProgress {
  std::function<void(uint64_t position, size_t done, size_t lines)> update;
  std::function<void(uint64_t position)> end_window, end_file;
};

class TranslationStream {
 public:
  // `window`: the maximum number of lines that are read ahead. Interactive: line by line, with a prompt on a terminal;
  // a bad line is a warning. `tags`: with one of which every line should begin; the first that does not is a warning.
  // Everything must outlive this.
  TranslationStream(const Translator& translator, SharedTranslation& translation, const LineFormat& format,
                    size_t window, bool interactive, std::vector<std::string> tags = {})
      : translator_(translator),
        translation_(translation),
        format_(format),
        window_(interactive ? 1 : window),
        interactive_(interactive),
        tags_(std::move(tags)) {}

  // "-": stdin. Fails at the first bad line, after the lines before it have been printed.
  void translate_file(const std::string& file, const StreamProgress& progress);
  void warn_of_cut_lines() const;

 private:
  void check(const Line& line);

  const Translator& translator_;
  SharedTranslation& translation_;
  const LineFormat format_;
  const size_t window_;
  const bool interactive_;
  std::vector<std::string> tags_;  // none once the warning was given
  uint64_t lines_ = 0;             // of all files
  TranslationTally tally_;
};

}  // namespace verbund
