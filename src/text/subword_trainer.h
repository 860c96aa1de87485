// SPDX-License-Identifier: Apache-2.0
// Subword trainer: learns a SentencePiece model from a sample of a corpus.
#pragma once

#include <cstdint>
#include <filesystem>

#include "config/corpus_config.h"

namespace verbund {

enum class Sides { kBoth, kSource, kTarget };

// Learns from the first `config.sample_pairs` lines ("source TAB target", already in random
// order) of `corpus` and writes the model to `output`.
void learn_subwords(const std::filesystem::path& corpus, Sides sides, const SubwordConfig& config,
                    const std::filesystem::path& output);

// Learns a model for each side. If the text allows or needs another vocabulary size, the error names one that fits
// both.
void learn_subwords_of_each_side(const std::filesystem::path& corpus, const SubwordConfig& config,
                                 const std::filesystem::path& source_output,
                                 const std::filesystem::path& target_output);

}  // namespace verbund
