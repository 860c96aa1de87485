// SPDX-License-Identifier: Apache-2.0
#include "statistics/quantile.h"

#include <cmath>

namespace verbund {
namespace {

TEST(Quantile, LiesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40, 50}, 0.9), 46);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.95), 7);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3}, 1), 3);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Quantile, TheMiddleIsBetweenTwoOfThem) {
  const Bounds bounds = middle({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.8);
  EXPECT_DOUBLE_EQ(bounds.low, 1);
  EXPECT_DOUBLE_EQ(bounds.high, 9);
}

TEST(Quantile, WhatIsNotANumberIsLeftOut) {
  EXPECT_EQ(finite(std::vector<double>{1, NAN, 2, INFINITY}), (std::vector<double>{1, 2}));
}

// Values from printed tables.
TEST(Distributions, Normal) {
  EXPECT_NEAR(normal_cumulative(1.96), 0.9750021, 1e-7);
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.1), -1.281552, 1e-6);
}

TEST(Distributions, Student) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.228139, 1e-6);
  EXPECT_NEAR(student_quantile(0.9, 4), 1.533206, 1e-6);
  EXPECT_NEAR(student_quantile(0.9, 1e6), 1.281553, 1e-5);
  EXPECT_NEAR(student_cumulative(-2.228139, 10), 0.025, 1e-6);
}

}  // namespace
}  // namespace verbund
