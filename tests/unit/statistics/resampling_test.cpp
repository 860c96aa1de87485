// SPDX-License-Identifier: Apache-2.0
#include "statistics/resampling.h"

#include "support/normal_numbers.h"

namespace verbund {
namespace {

double mean_of(const std::vector<double>& values) { return mean(values); }

TEST(BlockBootstrap, IsTheSameEveryTime) {
  const std::vector<double> series = NormalNumbers(1).take(100);
  const Bounds first = block_bootstrap(series, mean_of), second = block_bootstrap(series, mean_of);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LT(first.low, mean(series));
  EXPECT_GT(first.high, mean(series));
}

// Neighbours that are alike make the mean less certain than as many independent values would; blocks must show that.
TEST(BlockBootstrap, CoversTheMeanOfACorrelatedSeries) {
  constexpr int kSeries = 200;
  int covered = 0, covered_by_single_values = 0;
  for (int i = 0; i < kSeries; ++i) {
    NormalNumbers noise(100 + static_cast<uint64_t>(i));
    std::vector<double> series(400);
    double level = noise.next();
    for (double& value : series) value = level = 0.5 * level + noise.next();
    covered += block_bootstrap(series, mean_of, {.repeats = 200, .block = 20}).contains(0);
    covered_by_single_values += block_bootstrap(series, mean_of, {.repeats = 200, .block = 1}).contains(0);
  }
  EXPECT_NEAR(covered, 0.8 * kSeries, 0.09 * kSeries);
  EXPECT_LT(covered_by_single_values, 0.65 * kSeries);
}

TEST(BlockBootstrap, TakesLongSeriesByStretches) {
  std::vector<double> series = NormalNumbers(5).take(300000);
  const Bounds bounds = block_bootstrap(series, [](const std::vector<double>& values) { return median(values); });
  EXPECT_LT(bounds.low, 0.02);
  EXPECT_GT(bounds.high, -0.02);
  EXPECT_LT(bounds.high - bounds.low, 0.1);
}

TEST(BlockBootstrap, NothingGivesNothing) { EXPECT_TRUE(std::isnan(block_bootstrap({}, mean_of).low)); }

TEST(SignFlip, AllOfOneSignIsRare) {
  // Of 2^5 ways to choose signs one reaches the sum.
  const std::vector<double> up = {1, 2, 3, 4, 5}, down = {-1, -2, -3, -4, -5};
  EXPECT_NEAR(sign_flip_test(up, 20000), 1.0 / 32, 0.005);
  EXPECT_NEAR(sign_flip_test(down, 20000), 1, 1e-9);
}

TEST(SignFlip, IsNeverZero) { EXPECT_NEAR(sign_flip_test(std::vector<double>(500, 1.0), 999), 1.0 / 1000, 1e-12); }

TEST(SignFlip, AlarmsFalselyAsOftenAsItSays) {
  constexpr int kSeries = 400;
  int alarms = 0;
  for (int i = 0; i < kSeries; ++i) {
    alarms += sign_flip_test(NormalNumbers(static_cast<uint64_t>(i)).take(60), 400) < 0.05;
  }
  EXPECT_LE(alarms, 0.08 * kSeries);
  EXPECT_GE(alarms, 0.02 * kSeries);
}

}  // namespace
}  // namespace verbund
