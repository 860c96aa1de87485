// SPDX-License-Identifier: Apache-2.0
#include "score/metric.h"

namespace verbund {
namespace {

template <typename Statistics>
StatisticsTable table(std::span<const Statistics> segments) {
  StatisticsTable table;
  for (const Statistics& segment : segments) {
    const auto columns = columns_of(segment);
    table.columns = columns.size();
    table.cells.insert(table.cells.end(), columns.begin(), columns.end());
  }
  return table;
}

std::vector<int64_t> whole(std::span<const double> sums) { return {sums.begin(), sums.end()}; }

class BleuMetric : public Metric {
 public:
  explicit BleuMetric(const BleuOptions& options) : options_(options) {}

  StatisticsTable statistics(const Segments& hypotheses, const References& references) const override {
    return table_of(bleu_statistics(hypotheses, references, options_));
  }
  double score(std::span<const double> sums) const override { return bleu_of_sums(sums, options_); }
  double score(std::span<const float> sums) const override { return bleu_of_sums(sums, options_); }
  bool rounds_to_single() const override { return false; }
  ScoreReport report(std::span<const double> sums, size_t reference_count) const override {
    return verbund::report(bleu_score(bleu_statistics_of(whole(sums)), reference_count, options_));
  }

 private:
  BleuOptions options_;
};

class ChrfMetric : public Metric {
 public:
  explicit ChrfMetric(const ChrfOptions& options) : options_(options) {}

  StatisticsTable statistics(const Segments& hypotheses, const References& references) const override {
    return table_of(chrf_statistics(hypotheses, references, options_));
  }
  double score(std::span<const double> sums) const override { return chrf_of_sums(sums, options_); }
  double score(std::span<const float> sums) const override { return chrf_of_sums(sums, options_); }
  bool rounds_to_single() const override { return true; }
  ScoreReport report(std::span<const double> sums, size_t reference_count) const override {
    return verbund::report(chrf_score(chrf_statistics_of(whole(sums)), reference_count, options_));
  }

 private:
  ChrfOptions options_;
};

class TerMetric : public Metric {
 public:
  explicit TerMetric(const TerOptions& options) : options_(options) {}

  StatisticsTable statistics(const Segments& hypotheses, const References& references) const override {
    return table_of(ter_statistics(hypotheses, references, options_));
  }
  double score(std::span<const double> sums) const override { return ter_of_sums(sums); }
  double score(std::span<const float> sums) const override { return ter_of_sums(sums); }
  bool rounds_to_single() const override { return true; }
  ScoreReport report(std::span<const double> sums, size_t reference_count) const override {
    return verbund::report(ter_score({static_cast<int64_t>(sums[0]), sums[1]}, reference_count, options_));
  }

 private:
  TerOptions options_;
};

}  // namespace

std::vector<double> StatisticsTable::sums() const {
  std::vector<double> sums(columns);
  for (size_t i = 0; i < cells.size(); ++i) sums[i % columns] += cells[i];
  return sums;
}

StatisticsTable table_of(std::span<const BleuStatistics> segments) { return table(segments); }
StatisticsTable table_of(std::span<const ChrfStatistics> segments) { return table(segments); }
StatisticsTable table_of(std::span<const TerStatistics> segments) { return table(segments); }

std::unique_ptr<Metric> make_metric(const BleuOptions& options) { return std::make_unique<BleuMetric>(options); }
std::unique_ptr<Metric> make_metric(const ChrfOptions& options) { return std::make_unique<ChrfMetric>(options); }
std::unique_ptr<Metric> make_metric(const TerOptions& options) { return std::make_unique<TerMetric>(options); }

}  // namespace verbund
