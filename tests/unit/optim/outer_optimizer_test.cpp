// SPDX-License-Identifier: Apache-2.0
#include "optim/outer_optimizer.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace verbund {
namespace {

// Two steps, by hand: b = 0.9 b + g, w = w - 0.7 (g + 0.9 b).
TEST(OuterOptimizer, IsNesterov) {
  OuterOptimizer optimizer(2, 0.7, 0.9);
  std::vector<float> weights = {1, -2};
  optimizer.step(weights, std::vector<float>{0.1f, -0.2f});
  EXPECT_FLOAT_EQ(optimizer.momentum()[0], 0.1f);
  EXPECT_FLOAT_EQ(weights[0], 1 - 0.7f * 0.19f);
  EXPECT_FLOAT_EQ(weights[1], -2 + 0.7f * 0.38f);
  optimizer.step(weights, std::vector<float>{0.3f, 0});
  EXPECT_FLOAT_EQ(optimizer.momentum()[0], 0.39f);
  EXPECT_FLOAT_EQ(weights[0], 1 - 0.7f * 0.19f - 0.7f * (0.3f + 0.9f * 0.39f));
  EXPECT_FLOAT_EQ(optimizer.momentum()[1], -0.18f);
}

// Rate 1 without momentum takes over the mean of the workers' weights.
TEST(OuterOptimizer, MayJustAverage) {
  OuterOptimizer optimizer(1, 1, 0);
  std::vector<float> weights = {4};
  optimizer.step(weights, std::vector<float>{1.5f});
  EXPECT_EQ(weights[0], 2.5f);
}

TEST(OuterOptimizer, FrozenWeightsKeepTheirBits) {
  OuterOptimizer optimizer(1, 0.7, 0.9);
  std::vector<float> weights = {0.1f};
  for (int i = 0; i < 3; ++i) optimizer.step(weights, std::vector<float>{0});
  EXPECT_EQ(weights[0], 0.1f);
}

TEST(OuterOptimizer, RefusesOtherSizes) {
  OuterOptimizer optimizer(2, 0.7, 0.9);
  std::vector<float> weights = {1};
  EXPECT_ERROR(optimizer.step(weights, std::vector<float>{1}), Error, ::testing::HasSubstr("2 weights"));
}

}  // namespace
}  // namespace verbund
