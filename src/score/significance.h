// SPDX-License-Identifier: Apache-2.0
// Significance tests and confidence intervals of scores, computed from sufficient statistics alone: approximate
// randomisation (Riezler and Maxwell, 2005) and the bootstrap (Koehn, 2004). Trials are drawn and computed as in
// sacreBLEU with NumPy 2, so that the results are exactly its numbers. They say nothing about another seed of the same
// training.
#pragma once

#include <cstdint>

#include "score/metric.h"
#include "score/pcg64.h"

namespace verbund {

inline constexpr uint64_t kTestSeed = 12345;
inline constexpr int64_t kRandomizationTrials = 10000, kBootstrapSamples = 1000;

struct PairedResult {
  double first = 0, second = 0;  // scores
  double p = 1;                  // of a difference at least this large if both systems were the same
  int64_t trials = 0;

  double difference() const { return second - first; }
};

// Paired approximate randomisation: in each trial the statistics of every segment change sides or not, by a coin toss.
// p = (c + 1) / (trials + 1), where c trials give a larger difference, of either sign, than the observed one. Both
// tables must be of the same segments in the same order: fails unless they have the same number of them, and at least
// one. As in sacreBLEU, equal systems have the least p, because no trial is larger than a difference of zero.
PairedResult paired_randomization(const Metric& metric, const StatisticsTable& first, const StatisticsTable& second,
                                  int64_t trials, Pcg64& random);
// Tests on stored statistics, with the default options of the metrics. Here systems of equal score have p = 1.
PairedResult paired_randomization(std::span<const BleuStatistics> first, std::span<const BleuStatistics> second,
                                  int64_t trials = kRandomizationTrials, uint64_t seed = kTestSeed);
PairedResult paired_randomization(std::span<const ChrfStatistics> first, std::span<const ChrfStatistics> second,
                                  int64_t trials = kRandomizationTrials, uint64_t seed = kTestSeed);

// Scores of samples with as many segments as the test set, drawn with replacement.
std::vector<double> bootstrap_scores(const Metric& metric, const StatisticsTable& segments, int64_t samples,
                                     Pcg64& random);

// Interval of a single system's samples; the mean is exact before it is rounded.
ScoreInterval confidence_interval(const Metric& metric, const std::vector<double>& scores);

struct PairedBootstrap {
  ScoreInterval second;
  double p = 1;
};

// Scores both systems on the same samples; p tells how often their difference exceeds its mean by more than the
// observed difference.
PairedBootstrap paired_bootstrap(const Metric& metric, const StatisticsTable& first, const StatisticsTable& second,
                                 int64_t samples, Pcg64& random);

// Interval as shown by tests of several systems: mean and half width in the precision of the scores.
ScoreInterval sampled_interval(const Metric& metric, const std::vector<double>& scores);

}  // namespace verbund
