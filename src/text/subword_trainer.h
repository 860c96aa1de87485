// SPDX-License-Identifier: Apache-2.0
// Subword trainer: learns a SentencePiece model from a sample of a corpus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/corpus_config.h"

namespace verbund {

enum class Sides { kBoth, kSource, kTarget };

// The lines to learn from: "source TAB target", already in random order. The first `pairs` of them are used.
struct SubwordSample {
  std::filesystem::path file;
  int64_t pairs = 0;
};

// Refuses texts that cannot be symbols.
void check_symbols(const std::vector<std::string>& symbols);

// Learns from the samples and writes the model to `output`. Each of config.symbols becomes two pieces, with and without
// a word start, so that it is one piece wherever it stands.
void learn_subwords(const std::vector<SubwordSample>& samples, Sides sides, const SubwordConfig& config,
                    const std::filesystem::path& output);

// Learns a model for each side. If the text allows or needs another vocabulary size, the error names one that fits
// both.
void learn_subwords_of_each_side(const std::vector<SubwordSample>& samples, const SubwordConfig& config,
                                 const std::filesystem::path& source_output,
                                 const std::filesystem::path& target_output);

// The same from one file, of which config.sample_pairs are used.
inline void learn_subwords(const std::filesystem::path& corpus, Sides sides, const SubwordConfig& config,
                           const std::filesystem::path& output) {
  learn_subwords(std::vector<SubwordSample>{{corpus, config.sample_pairs}}, sides, config, output);
}
inline void learn_subwords_of_each_side(const std::filesystem::path& corpus, const SubwordConfig& config,
                                        const std::filesystem::path& source_output,
                                        const std::filesystem::path& target_output) {
  learn_subwords_of_each_side(std::vector<SubwordSample>{{corpus, config.sample_pairs}}, config, source_output,
                              target_output);
}

}  // namespace verbund
