// SPDX-License-Identifier: Apache-2.0
// PairStream reads the pairs of one parallel text, whatever its format: two files of lines, TSV, JSON lines or TMX.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/corpus_config.h"

namespace verbund {

// PairBlock holds a few thousand pairs. The text of a side is one string, so that a block needs few allocations instead
// of thousands.
class PairBlock {
 public:
  size_t size() const { return lines_.size(); }
  std::string_view source(size_t i) const { return slice(source_, source_ends_, i); }
  std::string_view target(size_t i) const { return slice(target_, target_ends_, i); }
  uint64_t line(size_t i) const { return lines_[i]; }  // of its file, from 1, for messages

  size_t largest_side() const { return std::max(source_.size(), target_.size()); }  // in bytes
  void add(std::string_view source, std::string_view target, uint64_t line);

  size_t corpus = 0;          // index of the corpus that the pairs belong to
  uint64_t source_bytes = 0;  // including line ends
  uint64_t target_bytes = 0;

 private:
  static std::string_view slice(const std::string& text, const std::vector<size_t>& ends, size_t i) {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(text).substr(begin, ends[i] - begin);
  }

  std::string source_, target_;
  std::vector<size_t> source_ends_, target_ends_;
  std::vector<uint64_t> lines_;
};

class PairStream {
 public:
  virtual ~PairStream() = default;
  // Appends the next pair; false at the end. A broken file is an error that names the line.
  virtual bool read(PairBlock& block) = 0;
  // Bytes of the files on disk that have been read, for progress.
  virtual uint64_t position() const = 0;
  // Units of the file that lack one of the two sides, so far.
  virtual uint64_t skipped() const { return 0; }
};

enum class PairFormat { kTwoFiles, kTsv, kNamedTsv, kJsonLines, kTmx };

// The format of a text; of ParallelFiles::pairs by its content. Fails if it is none of these.
PairFormat recognise_format(const ParallelFiles& files);

// "TMX with the languages en and de", for the log. Reads the head of a TSV file.
std::string describe_format(PairFormat format, const ParallelFiles& files);

std::unique_ptr<PairStream> open_pairs(const ParallelFiles& files);

// One per format; open_pairs() chooses.
std::unique_ptr<PairStream> open_tmx(const ParallelFiles& files);
std::unique_ptr<PairStream> open_json_lines(const ParallelFiles& files);

// Text of a format that allows line ends inside it becomes one line: white space with a line end or tab is one blank.
std::string one_line(std::string_view text);

}  // namespace verbund
