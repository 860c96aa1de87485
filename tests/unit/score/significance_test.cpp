// SPDX-License-Identifier: Apache-2.0
#include "score/significance.h"

#include <gmock/gmock.h>

#include "support/expect_error.h"
#include "unit/score/made_statistics.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

// What sacreBLEU's own functions (NumPy 2) give for these statistics.
struct Expected {
  size_t segments;
  int64_t system;
  double score, randomization_p, bootstrap_p, mean, half_width;
};

template <typename Statistics>
void expect_sacrebleu_numbers(const Metric& metric, std::vector<Statistics> (*made)(size_t, int64_t),
                              const std::vector<Expected>& all) {
  for (const Expected& expected : all) {
    SCOPED_TRACE(testing::Message() << expected.segments << " segments of system " << expected.system);
    const StatisticsTable first = table_of(made(expected.segments, 0));
    const StatisticsTable second = table_of(made(expected.segments, expected.system));
    Pcg64 random(kTestSeed);
    const PairedResult paired = paired_randomization(metric, first, second, 1000, random);
    EXPECT_DOUBLE_EQ(paired.second, expected.score);
    EXPECT_EQ(paired.trials, 1000);
    EXPECT_EQ(paired.p, expected.randomization_p);

    random = Pcg64(kTestSeed);
    const PairedBootstrap bootstrap = paired_bootstrap(metric, first, second, 1000, random);
    EXPECT_EQ(bootstrap.p, expected.bootstrap_p);
    if (metric.rounds_to_single()) {
      EXPECT_EQ(static_cast<float>(bootstrap.second.mean), static_cast<float>(expected.mean));
      EXPECT_EQ(static_cast<float>(bootstrap.second.half_width), static_cast<float>(expected.half_width));
    } else {
      EXPECT_DOUBLE_EQ(bootstrap.second.mean, expected.mean);
      EXPECT_DOUBLE_EQ(bootstrap.second.half_width, expected.half_width);
    }
  }
}

TEST(Significance, OfBleuIsSacrebleus) {
  expect_sacrebleu_numbers<BleuStatistics>(
      *make_metric(BleuOptions{}), made_bleu,
      {{101, 1, 10.969378569210473, 0.3676323676323676, 0.12887112887112886, 10.999163104984545, 1.6677929044807867},
       {101, 2, 9.769917044902725, 0.9560439560439561, 0.39760239760239763, 9.753456769711692, 1.7775164419455303},
       {1000, 1, 10.611636393075717, 0.06893106893106893, 0.04195804195804196, 10.608390520731223, 0.5492425252309134},
       {1000, 0, 9.957343719362344, 0.000999000999000999, 0.000999000999000999, 9.953888928915541,
        0.5708656427478402}});
}

TEST(Significance, OfChrfIsSacrebleusInSinglePrecision) {
  expect_sacrebleu_numbers<ChrfStatistics>(
      *make_metric(ChrfOptions{}), made_chrf,
      {{101, 1, 11.96775785492158, 0.7302697302697303, 0.26073926073926074, 11.9797, 1.4159513},
       {1000, 1, 11.629437174856536, 0.7272727272727273, 0.27172827172827174, 11.6334715, 0.4663272},
       {1000, 2, 11.346362931902545, 0.6303696303696303, 0.2097902097902098, 11.34632, 0.4418068}});
}

TEST(Significance, SamplesAfterTossesContinueTheSameDraws) {
  const auto metric = make_metric(BleuOptions{});
  Pcg64 random(kTestSeed);
  const StatisticsTable second = table_of(made_bleu(101, 1));
  paired_randomization(*metric, table_of(made_bleu(101, 0)), second, 100, random);
  const ScoreInterval interval = sampled_interval(*metric, bootstrap_scores(*metric, second, 200, random));
  EXPECT_DOUBLE_EQ(interval.mean, 11.01064759127255);
  EXPECT_DOUBLE_EQ(interval.half_width, 1.7689375392835611);
}

TEST(Significance, ConfidenceHasTheExactMean) {
  const auto metric = make_metric(ChrfOptions{});
  Pcg64 random(kTestSeed);
  const std::vector<double> scores = bootstrap_scores(*metric, table_of(made_chrf(1000, 0)), 1000, random);
  EXPECT_EQ(static_cast<float>(sampled_interval(*metric, scores).mean), 11.508526f);
  EXPECT_EQ(static_cast<float>(confidence_interval(*metric, scores).mean), 11.508525f);
  EXPECT_EQ(static_cast<float>(confidence_interval(*metric, scores).half_width), 0.4828167f);
}

TEST(Significance, OfOneSegmentCannotBeDoubted) {
  // Whichever way the coin falls, the difference is the same: no trial is larger.
  auto better = made_bleu(1, 0);
  better[0].counts = better[0].totals;
  EXPECT_DOUBLE_EQ(paired_randomization(made_bleu(1, 0), better, 9).p, 0.1);
}

TEST(Significance, OfKeptStatistics) {
  const PairedResult bleu = paired_randomization(made_bleu(1000, 0), made_bleu(1000, 1), 1000);
  EXPECT_DOUBLE_EQ(bleu.first, 9.957343719362344);
  EXPECT_DOUBLE_EQ(bleu.difference(), 10.611636393075717 - 9.957343719362344);
  EXPECT_DOUBLE_EQ(bleu.p, 0.06893106893106893);
  const PairedResult chrf = paired_randomization(made_chrf(101, 0), made_chrf(101, 1), 1000);
  EXPECT_DOUBLE_EQ(chrf.p, 0.7302697302697303);
}

TEST(Significance, EqualSystemsAreNotDifferent) {
  EXPECT_EQ(paired_randomization(made_bleu(100, 1), made_bleu(100, 1), 100).p, 1.0);
  EXPECT_EQ(paired_randomization(made_chrf(100, 1), made_chrf(100, 1), 100).p, 1.0);
}

TEST(Significance, AClearDifferenceIsFound) {
  auto better = made_bleu(200, 0);
  for (BleuStatistics& each : better) each.counts = each.totals;
  EXPECT_DOUBLE_EQ(paired_randomization(made_bleu(200, 0), better, 999).p, 0.001);
}

TEST(Significance, NeedsTheSameSegments) {
  EXPECT_ERROR(paired_randomization(made_bleu(3, 0), made_bleu(4, 1)), Error, HasSubstr("3 with 10"),
               HasSubstr("4 with 10"));
  EXPECT_ERROR(paired_randomization(made_bleu(0, 0), made_bleu(0, 1)), Error, HasSubstr("0 with 0"));
}

}  // namespace
}  // namespace verbund
