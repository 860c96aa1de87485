// SPDX-License-Identifier: Apache-2.0
#include "score/significance.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.h"
#include "core/interrupt.h"

namespace verbund {
namespace {

void check_same_segments(const StatisticsTable& first, const StatisticsTable& second) {
  if (first.rows() == second.rows() && first.columns == second.columns && first.rows() > 0) return;
  fail(
      "two systems can only be compared on the same segments, but one has {} with {} statistics each, the other {} "
      "with {}",
      first.rows(), first.columns, second.rows(), second.columns);
}

double p_value(int64_t larger, int64_t trials) {
  return static_cast<double>(larger + 1) / static_cast<double>(trials + 1);
}

// Calls use(i) for those of `count` segments whose coin shows heads. 32 tosses are drawn at once; the next call uses
// the rest of them.
class CoinTosses {
 public:
  explicit CoinTosses(Pcg64& random) : random_(random) {}

  template <typename Use>
  void for_heads(size_t count, Use use) {
    for (size_t done = 0; done < count;) {
      if (left_ == 0) {
        bits_ = random_.next_half();
        left_ = 32;
      }
      const size_t now = std::min(left_, count - done);
      const uint64_t taken = bits_ & ((uint64_t{1} << now) - 1);
      for (uint64_t heads = taken; heads != 0; heads &= heads - 1) {
        use(done + static_cast<size_t>(std::countr_zero(heads)));
      }
      bits_ >>= now;
      left_ -= now;
      done += now;
    }
  }

 private:
  Pcg64& random_;
  uint64_t bits_ = 0;
  size_t left_ = 0;
};

template <typename Statistics>
PairedResult compare(const Metric& metric, std::span<const Statistics> first, std::span<const Statistics> second,
                     int64_t trials, uint64_t seed) {
  Pcg64 random(seed);
  PairedResult result = paired_randomization(metric, table_of(first), table_of(second), trials, random);
  if (result.difference() == 0) result.p = 1;
  return result;
}

// Sums over samples, in single precision.
class Sampler {
 public:
  Sampler(const Metric& metric, const StatisticsTable& segments)
      : metric_(metric), columns_(segments.columns), cells_(segments.cells.begin(), segments.cells.end()) {}

  double score_of(std::span<const uint32_t> sample) {
    sums_.assign(columns_, 0);
    for (const uint32_t segment : sample) {
      const float* row = cells_.data() + segment * columns_;
      for (size_t j = 0; j < columns_; ++j) sums_[j] += row[j];
    }
    return metric_.score(std::span<const float>(sums_));
  }

 private:
  const Metric& metric_;
  size_t columns_;
  std::vector<float> cells_, sums_;
};

void draw(Pcg64& random, std::span<uint32_t> sample) {
  for (uint32_t& segment : sample) segment = random.below(static_cast<uint32_t>(sample.size()));
}

// NumPy's order of summation: halves of halves, and blocks of up to 128 in eight sums.
template <typename Real>
Real pairwise_sum(std::span<const Real> values) {
  const size_t count = values.size();
  if (count < 8) {
    Real sum = 0;
    for (const Real value : values) sum += value;
    return sum;
  }
  if (count > 128) {
    const size_t half = count / 2 - count / 2 % 8;
    return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
  }
  Real sums[8];
  std::copy_n(values.begin(), 8, sums);
  const size_t whole = count - count % 8;
  for (size_t i = 8; i < whole; ++i) sums[i % 8] += values[i];
  Real sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (size_t i = whole; i < count; ++i) sum += values[i];
  return sum;
}

template <typename Real>
Real mean_of(std::span<const Real> values) {
  return pairwise_sum(values) / static_cast<Real>(values.size());
}

template <typename Real>
Real half_width(std::span<const Real> sorted) {
  const size_t tail = sorted.size() / 40;
  return static_cast<Real>(0.5) * (sorted[sorted.size() - tail - 1] - sorted[tail]);
}

template <typename Real>
ScoreInterval interval_of(const std::vector<double>& scores) {
  std::vector<Real> sorted(scores.begin(), scores.end());
  std::ranges::sort(sorted);
  return {mean_of<Real>(sorted), half_width<Real>(sorted)};
}

template <typename Real>
int64_t count_larger(const std::vector<double>& first, const std::vector<double>& second, double difference) {
  std::vector<Real> differences(first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    differences[i] = std::abs(static_cast<Real>(second[i]) - static_cast<Real>(first[i]));
  }
  const Real mean = mean_of<Real>(differences);
  return std::ranges::count_if(differences, [&](Real each) { return each - mean > static_cast<Real>(difference); });
}

}  // namespace

PairedResult paired_randomization(const Metric& metric, const StatisticsTable& first, const StatisticsTable& second,
                                  int64_t trials, Pcg64& random) {
  check_same_segments(first, second);
  const std::vector<double> first_sums = first.sums(), second_sums = second.sums();
  PairedResult result{
      .first = metric.score(std::span(first_sums)), .second = metric.score(std::span(second_sums)), .trials = trials};
  const double difference = std::abs(result.first - result.second);

  const size_t columns = first.columns;
  std::vector<double> changes(first.cells.size());  // of a sum, when the first system's segment replaces the second's
  for (size_t i = 0; i < changes.size(); ++i) changes[i] = first.cells[i] - second.cells[i];

  CoinTosses tosses(random);
  std::vector<double> one, other(columns);
  int64_t larger = 0;
  for (int64_t trial = 0; trial < trials; ++trial) {
    check_interrupt();
    one = second_sums;
    tosses.for_heads(first.rows(), [&](size_t segment) {
      const double* change = changes.data() + segment * columns;
      for (size_t j = 0; j < columns; ++j) one[j] += change[j];
    });
    for (size_t j = 0; j < columns; ++j) other[j] = first_sums[j] + second_sums[j] - one[j];
    const double found =
        std::abs(metric.score(std::span<const double>(one)) - metric.score(std::span<const double>(other)));
    if (found > difference) ++larger;
  }
  result.p = p_value(larger, trials);
  return result;
}

PairedResult paired_randomization(std::span<const BleuStatistics> first, std::span<const BleuStatistics> second,
                                  int64_t trials, uint64_t seed) {
  return compare(*make_metric(BleuOptions{}), first, second, trials, seed);
}

PairedResult paired_randomization(std::span<const ChrfStatistics> first, std::span<const ChrfStatistics> second,
                                  int64_t trials, uint64_t seed) {
  return compare(*make_metric(ChrfOptions{}), first, second, trials, seed);
}

std::vector<double> bootstrap_scores(const Metric& metric, const StatisticsTable& segments, int64_t samples,
                                     Pcg64& random) {
  Sampler sampler(metric, segments);
  std::vector<uint32_t> sample(segments.rows());
  std::vector<double> scores(static_cast<size_t>(samples));
  for (double& score : scores) {
    check_interrupt();
    draw(random, sample);
    score = sampler.score_of(sample);
  }
  return scores;
}

ScoreInterval sampled_interval(const Metric& metric, const std::vector<double>& scores) {
  return metric.rounds_to_single() ? interval_of<float>(scores) : interval_of<double>(scores);
}

ScoreInterval confidence_interval(const Metric& metric, const std::vector<double>& scores) {
  ScoreInterval interval = sampled_interval(metric, scores);
  long double sum = 0;
  for (const double score : scores) sum += score;
  interval.mean = static_cast<double>(sum / static_cast<long double>(scores.size()));
  if (metric.rounds_to_single()) interval.mean = static_cast<float>(interval.mean);
  return interval;
}

PairedBootstrap paired_bootstrap(const Metric& metric, const StatisticsTable& first, const StatisticsTable& second,
                                 int64_t samples, Pcg64& random) {
  check_same_segments(first, second);
  const double difference = std::abs(metric.score(std::span<const double>(first.sums())) -
                                     metric.score(std::span<const double>(second.sums())));
  Pcg64 same = random;
  const std::vector<double> first_scores = bootstrap_scores(metric, first, samples, same);
  const std::vector<double> second_scores = bootstrap_scores(metric, second, samples, random);
  const int64_t larger = metric.rounds_to_single() ? count_larger<float>(first_scores, second_scores, difference)
                                                   : count_larger<double>(first_scores, second_scores, difference);
  return {sampled_interval(metric, second_scores), p_value(larger, samples)};
}

}  // namespace verbund
