// SPDX-License-Identifier: Apache-2.0
// Metric is the interface of all metrics: sufficient statistics of segments, and a score of their sums.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "score/score_report.h"

namespace verbund {

// StatisticsTable holds the sufficient statistics of a metric as numbers, one row per segment. The sum of rows is all
// the metric needs to know about these segments, so significance tests need no text.
struct StatisticsTable {
  size_t columns = 0;
  std::vector<double> cells;

  size_t rows() const { return columns == 0 ? 0 : cells.size() / columns; }
  std::span<const double> row(size_t i) const { return {cells.data() + i * columns, columns}; }
  std::vector<double> sums() const;
};

StatisticsTable table_of(std::span<const BleuStatistics> segments);
StatisticsTable table_of(std::span<const ChrfStatistics> segments);
StatisticsTable table_of(std::span<const TerStatistics> segments);

class Metric {
 public:
  virtual ~Metric() = default;

  virtual StatisticsTable statistics(const Segments& hypotheses, const References& references) const = 0;

  virtual double score(std::span<const double> sums) const = 0;
  // The same in single precision, and whether the score itself is rounded to it.
  virtual double score(std::span<const float> sums) const = 0;
  virtual bool rounds_to_single() const = 0;

  virtual ScoreReport report(std::span<const double> sums, size_t reference_count) const = 0;
};

std::unique_ptr<Metric> make_metric(const BleuOptions& options);
std::unique_ptr<Metric> make_metric(const ChrfOptions& options);
std::unique_ptr<Metric> make_metric(const TerOptions& options);

}  // namespace verbund
