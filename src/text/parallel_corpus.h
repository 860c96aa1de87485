// SPDX-License-Identifier: Apache-2.0
// ParallelReader reads parallel text in blocks of pairs, one corpus after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/corpus_config.h"
#include "text/pair_stream.h"

namespace verbund {

class ParallelReader {
 public:
  explicit ParallelReader(std::vector<ParallelFiles> corpora);

  // The next block; nothing at the end. Sides with different numbers of lines are an error.
  std::optional<PairBlock> next();

  // Compressed bytes read so far and in total, for progress; the total is 0 if unknown (stdin).
  uint64_t position() const { return position_.load(); }
  uint64_t total() const { return total_; }
  uint64_t skipped() const { return skipped_; }  // units that lack a side, once all is read

  std::string describe(size_t corpus) const;  // "a.en + a.de"

 private:
  std::vector<ParallelFiles> corpora_;
  size_t next_corpus_ = 0;
  std::unique_ptr<PairStream> stream_;
  std::atomic<uint64_t> position_ = 0;  // read by the thread that shows progress
  uint64_t before_ = 0;                 // bytes of the corpora before this one
  uint64_t total_ = 0, skipped_ = 0;
};

}  // namespace verbund
