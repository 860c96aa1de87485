// SPDX-License-Identifier: Apache-2.0
#include "statistics/two_samples.h"

#include <cmath>

#include "support/normal_numbers.h"

namespace verbund {
namespace {

using Values = std::vector<double>;

TEST(WelchTest, IsRightByHand) {
  EXPECT_DOUBLE_EQ(deviation(Values{1, 2, 3}), 1);
  // Variances 1 and 4 of three values each: t = 3 / sqrt(5 / 3), 25 / 9 / (1 / 18 + 16 / 18) = 2.941 degrees of
  // freedom.
  EXPECT_NEAR(welch_test(Values{1, 2, 3}, Values{3, 5, 7}), 0.1045, 1e-4);
  EXPECT_NEAR(welch_test(Values{3, 5, 7}, Values{1, 2, 3}), 0.1045, 1e-4);
  // One value against three: t = 4 / sqrt(1 + 1 / 3) with 2 degrees of freedom.
  EXPECT_NEAR(welch_test(Values{1, 2, 3}, Values{6}), 0.0742, 1e-4);
  EXPECT_NEAR(welch_test(Values{6}, Values{1, 2, 3}), 0.0742, 1e-4);
}

TEST(WelchTest, SaysNothingWithoutVariation) {
  EXPECT_TRUE(std::isnan(welch_test(Values{1}, Values{2})));
  EXPECT_TRUE(std::isnan(welch_test(Values{1, 1}, Values{2, 2})));
  EXPECT_TRUE(std::isnan(welch_test(Values{}, Values{2, 3})));
  EXPECT_TRUE(std::isnan(deviation(Values{1})));
}

TEST(WelchTest, AlarmsFalselyNoMoreOftenThanItSays) {
  constexpr int kPairs = 2000;
  int alarms = 0;
  for (int i = 0; i < kPairs; ++i) {
    Values values = NormalNumbers(static_cast<uint64_t>(i)).take(6);
    for (size_t k = 3; k < 6; ++k) values[k] *= 3;  // the second setting varies more
    alarms += welch_test(std::span(values).first(3), std::span(values).last(3)) < 0.05;
  }
  EXPECT_LE(alarms, 0.065 * kPairs);
  EXPECT_GE(alarms, 0.01 * kPairs);
}

}  // namespace
}  // namespace verbund
