// SPDX-License-Identifier: Apache-2.0
// ParallelReader reads parallel text in blocks of pairs, one corpus after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/corpus_config.h"
#include "text/line_reader.h"

namespace verbund {

// PairBlock holds a few thousand pairs. The text of a side is one string, so that a block needs two allocations instead
// of thousands.
class PairBlock {
 public:
  size_t size() const { return source_ends_.size(); }
  std::string_view source(size_t i) const { return slice(source_, source_ends_, i); }
  std::string_view target(size_t i) const { return slice(target_, target_ends_, i); }

  void add(std::string_view source, std::string_view target);

  // Position of the block's first pair, for messages: index of its corpus, and line (from 0).
  size_t corpus = 0;
  uint64_t first_line = 0;
  uint64_t source_bytes = 0;  // in the file, including line ends
  uint64_t target_bytes = 0;

 private:
  friend class ParallelReader;
  static std::string_view slice(const std::string& text, const std::vector<size_t>& ends, size_t i) {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(text).substr(begin, ends[i] - begin);
  }

  std::string source_, target_;
  std::vector<size_t> source_ends_, target_ends_;
};

class ParallelReader {
 public:
  explicit ParallelReader(std::vector<ParallelFiles> corpora);

  // The next block; nothing at the end. Sides with different numbers of lines are an error.
  std::optional<PairBlock> next();

  // Compressed bytes read so far and in total, for progress; the total is 0 if unknown (stdin).
  uint64_t position() const { return position_.load(); }
  uint64_t total() const { return total_; }

  std::string describe(size_t corpus) const;  // "a.en + a.de"

 private:
  bool open_next();
  bool read_pair(PairBlock& block);
  [[noreturn]] void fail_unequal(bool source_ended);

  std::vector<ParallelFiles> corpora_;
  size_t next_corpus_ = 0;
  std::unique_ptr<LineReader> source_, target_;  // target_ is null for a TSV file
  std::atomic<uint64_t> position_ = 0;           // read by the thread that shows progress
  uint64_t before_ = 0;                          // bytes of the corpora before this one
  uint64_t total_ = 0;
  std::string line_;
};

}  // namespace verbund
