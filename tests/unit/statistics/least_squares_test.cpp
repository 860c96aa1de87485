// SPDX-License-Identifier: Apache-2.0
#include "statistics/least_squares.h"

#include "support/normal_numbers.h"

namespace verbund {
namespace {

TEST(LeastSquares, FindsExactCoefficients) {
  NormalNumbers numbers(3);
  const std::vector<double> a = numbers.take(40), b = numbers.take(40);
  std::vector<double> y;
  for (size_t i = 0; i < a.size(); ++i) y.push_back(7 + 2 * a[i] - 0.5 * b[i]);
  const auto fit = least_squares({a, b}, y);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0].value, 7, 1e-9);
  EXPECT_NEAR(fit->coefficients[1].value, 2, 1e-9);
  EXPECT_NEAR(fit->coefficients[2].value, -0.5, 1e-9);
  EXPECT_NEAR(fit->explained, 1, 1e-9);
}

// x = 1 2 3 4 5, y = 2 4 5 4 5: slope 0.6, constant 2.2, errors sqrt(0.8 / 10) and sqrt(0.8 (1/5 + 9/10)).
TEST(LeastSquares, ErrorsAreRightByHand) {
  const auto fit = least_squares({{1, 2, 3, 4, 5}}, std::vector<double>{2, 4, 5, 4, 5});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0].value, 2.2, 1e-9);
  EXPECT_NEAR(fit->coefficients[0].error, 0.938083, 1e-6);
  EXPECT_NEAR(fit->coefficients[1].value, 0.6, 1e-9);
  EXPECT_NEAR(fit->coefficients[1].error, 0.282843, 1e-6);
  EXPECT_NEAR(fit->explained, 0.6, 1e-9);
}

TEST(LeastSquares, IntervalsCover) {
  constexpr int kSeries = 300;
  int first = 0, second = 0;
  for (int i = 0; i < kSeries; ++i) {
    NormalNumbers numbers(static_cast<uint64_t>(i));
    const std::vector<double> a = numbers.take(15), b = numbers.take(15);
    std::vector<double> y;
    for (size_t k = 0; k < a.size(); ++k) y.push_back(1 + 3 * a[k] + 0 * b[k] + numbers.next());
    const auto fit = least_squares({a, b}, y);
    first += fit->coefficients[1].interval.contains(3);
    second += fit->coefficients[2].interval.contains(0);
  }
  EXPECT_NEAR(first, 0.8 * kSeries, 0.07 * kSeries);
  EXPECT_NEAR(second, 0.8 * kSeries, 0.07 * kSeries);
}

TEST(LeastSquares, RefusesWhatDoesNotVary) {
  const std::vector<double> y = {1, 2, 3, 4, 5, 6, 7}, same(7, 1e8), rising = {2, 4, 6, 8, 10, 12, 14};
  EXPECT_FALSE(least_squares({same}, y));
  EXPECT_FALSE(least_squares({y, rising}, y));                             // one says the same as the other
  EXPECT_FALSE(least_squares({{1, 2, 3}}, std::vector<double>{1, 2, 3}));  // too few
}

}  // namespace
}  // namespace verbund
