// SPDX-License-Identifier: Apache-2.0
// The parameters that train.freeze keeps constant, see train/run_opening.h.
#include <regex>

#include "core/error.h"
#include "train/run_opening.h"

namespace verbund {
namespace {

// The standard library recurses once per parenthesis, and copies what {n} repeats.
constexpr size_t kLongestPattern = 500;

void check(const std::string& pattern) {
  if (pattern.size() > kLongestPattern) {
    fail_usage("train.freeze has {} characters, but at most {} are allowed: \"{:.40}...\"", pattern.size(),
               kLongestPattern, pattern);
  }
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') ++i;
    if (i < pattern.size() && pattern[i] == '{') {
      fail_usage("train.freeze \"{}\": counts in braces are not allowed here; write + or * instead", pattern);
    }
  }
}

}  // namespace

std::vector<Interval> frozen_parameters(const ParameterTable& table, const std::string& pattern) {
  std::vector<Interval> frozen;
  if (pattern.empty()) return frozen;
  check(pattern);
  try {
    // Matches all alternatives in parallel: backtracking through (a*)*b takes exponential time.
    const std::regex expression(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
    for (const Parameter& p : table.all()) {
      if (std::regex_search(p.name, expression)) {
        frozen.push_back({static_cast<size_t>(p.offset), static_cast<size_t>(p.offset + p.size)});
      }
    }
  } catch (const std::regex_error& error) {
    fail_usage("train.freeze \"{}\" is not a regular expression: {}", pattern, error.what());
  }
  if (frozen.empty()) {
    fail_usage("train.freeze \"{}\" matches no parameter; they have names such as {} and {}", pattern,
               table.all().front().name, table.all().back().name);
  }
  return frozen;
}

}  // namespace verbund
