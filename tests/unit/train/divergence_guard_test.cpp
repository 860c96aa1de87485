// SPDX-License-Identifier: Apache-2.0
#include "train/divergence_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace verbund {
namespace {

using testing::HasSubstr;

TEST(DivergenceGuard, LetsLearningGoOn) {
  DivergenceGuard guard(4, 9);
  for (double loss = 9.5; loss > 1; loss *= 0.97) EXPECT_EQ(guard.judge(loss, true), "");
  EXPECT_EQ(guard.judge(3, true), "") << "a bad batch is not an explosion";
}

TEST(DivergenceGuard, StopsAtWhatIsNotFinite) {
  DivergenceGuard guard(4, 9);
  EXPECT_THAT(guard.judge(std::numeric_limits<double>::quiet_NaN(), true), HasSubstr("nan"));
  EXPECT_THAT(guard.judge(std::numeric_limits<double>::infinity(), true), HasSubstr("inf"));
  EXPECT_THAT(guard.judge(3, false), HasSubstr("gradient"));
}

TEST(DivergenceGuard, StopsAtExplosionsAndAtWorseThanGuessing) {
  DivergenceGuard guard(4, 9);
  for (int i = 0; i < 100; ++i) guard.judge(2, true);
  EXPECT_THAT(guard.judge(20, true), HasSubstr("20"));
  EXPECT_THAT(DivergenceGuard(4, 9).judge(50, true), HasSubstr("9"));
}

TEST(DivergenceGuard, LooksAtWeightsWithoutCountingThem) {
  DivergenceGuard guard(4, 9);
  for (int i = 0; i < 100; ++i) guard.judge(2, true);
  const double mean = guard.mean();
  EXPECT_EQ(guard.trouble_with(3), "");
  EXPECT_THAT(guard.trouble_with(20), HasSubstr("20"));
  EXPECT_THAT(guard.trouble_with(std::numeric_limits<double>::quiet_NaN()), HasSubstr("nan"));
  EXPECT_EQ(guard.mean(), mean);
}

TEST(DivergenceGuard, GoesOnWithItsMean) {
  DivergenceGuard guard(4, 9), resumed(4, 9);
  for (int i = 0; i < 50; ++i) guard.judge(2 + 0.01 * i, true);
  resumed.set_mean(guard.mean());
  EXPECT_EQ(guard.judge(15, true), resumed.judge(15, true));
}

}  // namespace
}  // namespace verbund
