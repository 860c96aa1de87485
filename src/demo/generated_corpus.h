// SPDX-License-Identifier: Apache-2.0
// GeneratedCorpus is what the generators of parallel text (demo sentences, reversed sequences) make: distinct pairs,
// dealt out to three splits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace verbund {

// Is raised when a generator makes other text than before, so that datasets of an earlier program are made again.
inline constexpr int kGeneratorVersion = 3;

struct SentencePair {
  std::string source, target;
  bool operator==(const SentencePair&) const = default;
};

// No sentence, source or target, occurs twice: neither inside a split nor across splits.
struct GeneratedCorpus {
  std::vector<SentencePair> train, dev, test;
};

struct GeneratedSizes {
  size_t train = 40000;
  size_t dev = 1000;
  size_t test = 1000;

  size_t total() const { return train + dev + test; }
};

// Draws pairs until the splits are full and skips those of which a side was seen before.
// The test split is drawn first and the training split last, so that asking for more
// training pairs leaves the other two as they were. Fails when `draw` hardly ever comes up
// with anything new; `what` names the generator in that message.
GeneratedCorpus collect_distinct_pairs(const GeneratedSizes& sizes, const std::string& what,
                                       const std::function<SentencePair()>& draw);

// Lines of source TAB target.
void write_tsv(const std::filesystem::path& path, const std::vector<SentencePair>& pairs);

// A pure function of its arguments; source is English, target is German.
GeneratedCorpus demo_corpus(uint64_t seed, const GeneratedSizes& sizes = {});

struct ReversalShape {
  size_t min_length = 4;  // symbols in a sequence
  size_t max_length = 16;
  size_t symbols = 64;  // size of the alphabet: "ba", "ca", ..., "za", "be", ...
};

// "ka be ba" -> "ba be ka". A pure function of its arguments.
GeneratedCorpus reversal_corpus(uint64_t seed, const GeneratedSizes& sizes, const ReversalShape& shape = {});

}  // namespace verbund
