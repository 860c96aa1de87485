// A metric as those see it who need not know which it is: statistics of segments, a score of their sums.
#pragma once

#include <memory>

#include "score/score_report.h"
#include "score/statistics_table.h"

namespace verbund {

class Metric {
 public:
  virtual ~Metric() = default;

  virtual StatisticsTable statistics(const Segments& hypotheses, const References& references) const = 0;

  virtual double score(std::span<const double> sums) const = 0;
  // The same computed in single precision, and whether the score itself is rounded to it.
  virtual double score(std::span<const float> sums) const = 0;
  virtual bool rounds_to_single() const = 0;

  virtual ScoreReport report(std::span<const double> sums, size_t reference_count) const = 0;
};

std::unique_ptr<Metric> make_metric(const BleuOptions& options);
std::unique_ptr<Metric> make_metric(const ChrfOptions& options);
std::unique_ptr<Metric> make_metric(const TerOptions& options);

}  // namespace verbund
