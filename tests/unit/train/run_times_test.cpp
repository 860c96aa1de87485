// SPDX-License-Identifier: Apache-2.0
#include "train/run_times.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(TimesToCome, CountsWhatIsDueAndTheEnd) {
  EXPECT_EQ(times_to_come(0, 100, 10), 10) << "10, 20, ... 100";
  EXPECT_EQ(times_to_come(10, 100, 10), 9) << "that of step 10 is done";
  EXPECT_EQ(times_to_come(9, 100, 10), 10);
  EXPECT_EQ(times_to_come(0, 105, 10), 11) << "and once more at the end";
  EXPECT_EQ(times_to_come(101, 105, 10), 1);
  EXPECT_EQ(times_to_come(5, 100, 0), 1) << "only at the end";
  EXPECT_EQ(times_to_come(100, 100, 10), 0);
  EXPECT_EQ(times_to_come(200, 100, 10), 0) << "a run that goes on with fewer steps";
}

RunTimes measured() {
  RunTimes times;
  times.steps = {20, 10};
  times.evaluations = {60, 2};
  times.saves = {5, 1};
  return times;
}

TEST(TimeLeft, CountsStepsEvaluationsAndSaves) {
  EXPECT_DOUBLE_EQ(seconds_left({100, 50, 25, true}, 10, measured()), 90 * 2 + 2 * 30 + 4 * 5);
  EXPECT_DOUBLE_EQ(seconds_left({100, 0, 0, true}, 10, measured()), 90 * 2 + 30 + 5);
  EXPECT_DOUBLE_EQ(seconds_left({100, 50, 25, false}, 10, measured()), 90 * 2 + 4 * 5) << "no pairs to evaluate on";
  EXPECT_DOUBLE_EQ(seconds_left({100, 50, 25, true}, 100, measured()), 0);
}

TEST(TimeLeft, WhatWasNeverSeenCountsNothing) {
  RunTimes times;
  times.steps = {20, 10};
  times.first_look = 7;  // says nothing of an evaluation with translations
  EXPECT_DOUBLE_EQ(seconds_left({100, 10, 10, true}, 10, times), 180);
  EXPECT_DOUBLE_EQ(seconds_left({100, 10, 10, true}, 0, {}), 0);
}

}  // namespace
}  // namespace verbund
