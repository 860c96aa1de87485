// SPDX-License-Identifier: Apache-2.0
// MetricsReader reads metrics.jsonl, which metrics_writer.h writes, into columns. A run that logs every step has
// hundreds of thousands of lines, so they are scanned (flat_json.h) instead of parsed.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

inline constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
inline bool is_known(double value) { return !std::isnan(value); }

// The lines of one kind as columns. Steps rise: lines of undone steps are removed.
struct MetricTable {
  std::vector<int64_t> step;
  std::vector<double> time;                            // seconds since 1970; NaN: not known
  std::map<std::string, std::vector<double>> columns;  // by key; NaN: the line has no such key, or no number there
  // Rows whose value is present but not a finite number: a loss of "NaN" differs from no loss.
  std::map<std::string, std::vector<size_t>> not_finite;

  size_t rows() const { return step.size(); }
  bool has(const std::string& key) const;                    // some line has a number there
  std::vector<double> column(const std::string& key) const;  // all NaN if no line has the key
  double last(const std::string& key) const;                 // the last number of the column; NaN if there is none
  std::vector<double> steps() const;                         // as numbers
};

struct MetricsReader {
  MetricsReader() = default;
  explicit MetricsReader(std::string_view text) { add(text); }

  // Adds the lines of a text. A run that is being watched adds whole lines, as they are written.
  void add(std::string_view text);

  MetricTable training, evaluations;
  size_t damaged = 0;  // lines without an object with a step; an incomplete last line is not counted
  size_t undone = 0;   // rows that a later line of an earlier step replaced
  bool clock_set_back = false;

 private:
  double latest_ = kNotKnown;  // time of a line
};

}  // namespace verbund
