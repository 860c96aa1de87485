// SPDX-License-Identifier: Apache-2.0
// DatasetStatistics counts the pairs, tokens and pieces of a dataset while it is made, for JSON and for a table.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/json.h"
#include "text/clean.h"
#include "text/subwords.h"

namespace verbund {

struct SideStatistics {
  uint64_t tokens = 0;
  uint64_t unknown = 0;
  uint64_t longest = 0;
};

// Lengths are counted in steps of ten tokens; the last step contains all longer ones.
inline constexpr size_t kLengthStep = 10;
inline constexpr size_t kLengthSteps = 16;

struct SplitStatistics {
  uint64_t pairs = 0;
  SideStatistics source, target;
  std::array<uint64_t, kLengthSteps> histogram = {};  // of the longer side of each pair

  void add(std::span<const TokenId> ids, std::span<const uint32_t> lengths);
};

struct DatasetStatistics {
  CleanReport clean;                                           // of all training pairs
  std::vector<std::pair<std::string, CleanReport>> by_source;  // of each named source
  std::map<std::string, SplitStatistics> splits;
  // How often each piece of a vocabulary occurs in the training pairs.
  std::vector<uint64_t> source_pieces, target_pieces;  // joint: both counts are in source_pieces

  void count_pieces(std::span<const TokenId> ids, std::span<const uint32_t> lengths);
};

Json to_json(const CleanReport& report);
CleanReport clean_report(const Json& json);

std::string statistics_json(const DatasetStatistics& statistics);
// Mean length of the longer side of the training text in tokens with </s>, from a dataset's statistics.json.
double average_training_tokens(const std::filesystem::path& file);
// A table made from the JSON, so that `inspect` shows the same as `prepare`; `where` is its origin, for errors.
std::string statistics_table(const std::string& json, const std::string& where);

}  // namespace verbund
