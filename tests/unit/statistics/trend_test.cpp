// SPDX-License-Identifier: Apache-2.0
#include "statistics/trend.h"

#include "support/normal_numbers.h"

namespace verbund {
namespace {

std::vector<double> count_to(size_t n) {
  std::vector<double> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
  return x;
}

TEST(TheilSen, WildPointsDoNotBendIt) {
  const std::vector<double> x = count_to(20);
  std::vector<double> y;
  for (const double value : x) y.push_back(3 + 2 * value);
  y[4] = 1e6;
  y[17] = -1e6;
  const Trend trend = theil_sen(x, y);
  EXPECT_NEAR(trend.slope, 2, 1e-9);
  EXPECT_NEAR(trend.intercept, 3, 1e-9);
}

TEST(TheilSen, ItsIntervalCovers) {
  constexpr int kSeries = 300;
  const std::vector<double> x = count_to(30);
  int covered = 0;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> y = NormalNumbers(static_cast<uint64_t>(i)).take(30);
    for (size_t k = 0; k < y.size(); ++k) y[k] += 0.1 * x[k];
    covered += theil_sen(x, y).interval.contains(0.1);
  }
  EXPECT_NEAR(covered, 0.8 * kSeries, 0.07 * kSeries);
}

TEST(MannKendall, IsRightByHand) {
  // 1 2 3 4 5: the sum is 10, its variance 5 x 4 x 15 / 18; z = 9 / 4.0825
  EXPECT_NEAR(mann_kendall(std::vector<double>{1, 2, 3, 4, 5}), 0.027486, 1e-5);
  EXPECT_EQ(mann_kendall(std::vector<double>{2, 2, 2, 2}), 1);
}

TEST(MannKendall, AlarmsFalselyAsOftenAsItSays) {
  constexpr int kSeries = 400;
  int alarms = 0;
  for (int i = 0; i < kSeries; ++i) alarms += mann_kendall(NormalNumbers(static_cast<uint64_t>(i)).take(25)) < 0.05;
  EXPECT_LE(alarms, 0.08 * kSeries);
  EXPECT_GE(alarms, 0.02 * kSeries);
}

TEST(Thin, KeepsTheCourse) {
  const std::vector<double> x = count_to(3000);
  const Points points = thin(x, x, 100);
  ASSERT_EQ(points.x.size(), 100U);
  EXPECT_NEAR(points.x[50], points.y[50], 1e-9);
  EXPECT_NEAR(theil_sen(points.x, points.y).slope, 1, 1e-9);
}

}  // namespace
}  // namespace verbund
