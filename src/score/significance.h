// Is one system really better than another on a test set, and how sure is a score? Answers from sufficient statistics
// alone, by drawing: approximate randomisation (Riezler and Maxwell, 2005) and the bootstrap (Koehn, 2004).
// Trials are drawn and computed as sacreBLEU does it with NumPy 2, so that the results are its very numbers.
// None of this says anything about another seed of the same training.
#pragma once

#include <cstdint>

#include "score/metric.h"
#include "score/pcg64.h"

namespace verbund {

inline constexpr uint64_t kTestSeed = 12345;
inline constexpr int64_t kRandomizationTrials = 10000, kBootstrapSamples = 1000;

struct PairedResult {
  double first = 0, second = 0;  // scores
  double p = 1;                  // of a difference as large as theirs, or larger, if both systems were the same
  int64_t trials = 0;

  double difference() const { return second - first; }
};

// Paired approximate randomisation: in each trial every segment's statistics change sides or not, by a coin.
// p = (c + 1) / (trials + 1), where c trials give a larger difference, of either sign, than there is.
// Both must be of the same segments in the same order: fails unless there are equally many, and at least one.
// No trial is larger than a difference of zero between equal systems: as sacreBLEU has it, that gives the least p.
PairedResult paired_randomization(const Metric& metric, const StatisticsTable& first, const StatisticsTable& second,
                                  int64_t trials, Pcg64& random);
// From kept statistics, with the metrics' usual options. Here systems of equal score have p = 1.
PairedResult paired_randomization(std::span<const BleuStatistics> first, std::span<const BleuStatistics> second,
                                  int64_t trials = kRandomizationTrials, uint64_t seed = kTestSeed);
PairedResult paired_randomization(std::span<const ChrfStatistics> first, std::span<const ChrfStatistics> second,
                                  int64_t trials = kRandomizationTrials, uint64_t seed = kTestSeed);

// Each sample has as many segments as there are, drawn with replacement.
std::vector<double> bootstrap_scores(const Metric& metric, const StatisticsTable& segments, int64_t samples,
                                     Pcg64& random);

// Of a single system's samples; the mean is exact before it is rounded.
ScoreInterval confidence_interval(const Metric& metric, std::vector<double> scores);

struct PairedBootstrap {
  ScoreInterval second;
  double p = 1;
};

// Both systems are scored on the same samples; p tells how often their difference is larger than its mean by more than
// the real difference.
PairedBootstrap paired_bootstrap(const Metric& metric, const StatisticsTable& first, const StatisticsTable& second,
                                 int64_t samples, Pcg64& random);

// As tests of several systems show it: mean and half width in the precision of the scores.
ScoreInterval sampled_interval(const Metric& metric, std::vector<double> scores);

}  // namespace verbund
