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

}  // namespace
}  // namespace verbund
