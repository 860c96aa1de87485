// SPDX-License-Identifier: Apache-2.0
// Cleaning of training pairs: normalisation, and the rules that a pair must pass. Both sides are kept or dropped
// together, and every dropped pair is counted under the first rule it breaks.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/corpus_config.h"

namespace verbund {

enum class Rule { kInvalidUtf8, kEmpty, kTooShort, kTooLong, kRatio, kIdentical, kDuplicate };
inline constexpr std::array kRules = {Rule::kInvalidUtf8, Rule::kEmpty,     Rule::kTooShort, Rule::kTooLong,
                                      Rule::kRatio,       Rule::kIdentical, Rule::kDuplicate};
const char* rule_name(Rule rule);  // "too_long"

struct CleanReport {
  uint64_t pairs_before = 0, pairs_after = 0;
  uint64_t source_bytes_before = 0, source_bytes_after = 0;
  uint64_t target_bytes_before = 0, target_bytes_after = 0;
  std::array<uint64_t, kRules.size()> dropped = {};
  std::vector<uint64_t> lines;             // of each corpus
  std::vector<std::string> invalid_lines;  // the first ones, "a.en:17"

  void add(const CleanReport& part);
};

// Normalises a line: no control characters, single spaces for all white space, one Unicode normal form. `text` must be
// valid UTF-8; the result replaces `result`.
void normalize_line(std::string_view text, UnicodeForm form, std::string& result);

// Words separated by spaces in normalised text.
size_t count_words(std::string_view text);

// Applies the rules for single pairs of normalised text, all except kDuplicate and kInvalidUtf8.
bool passes(const CleanConfig& config, std::string_view source, std::string_view target, Rule& broken);

// Cleans the corpora into one file of "source TAB target" lines, with the tag of its corpus before each source.
CleanReport clean_corpora(const std::vector<ParallelFiles>& corpora, const CleanConfig& config, int threads,
                          const std::filesystem::path& output);

}  // namespace verbund
