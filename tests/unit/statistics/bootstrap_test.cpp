#include "statistics/bootstrap.h"

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

}  // namespace
}  // namespace verbund
