// SPDX-License-Identifier: Apache-2.0
#include "board/step_phases.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

StepRecord record_of(int64_t step, float seconds) {
  StepRecord record;
  record.step = step;
  record.seconds = seconds;
  record.compute = seconds / 2;
  record.tokens = 10;
  return record;
}

int64_t steps_in(const std::vector<PhaseBucket>& buckets) {
  int64_t steps = 0;
  for (const PhaseBucket& bucket : buckets) steps += bucket.steps;
  return steps;
}

TEST(StepPhases, MergesNeighboursAndLosesNothing) {
  StepPhases phases(64);
  for (int64_t step = 1; step <= 1000; ++step) {
    const StepRecord record = record_of(step, step == 700 ? 9.0f : 1.0f);
    phases.add({&record, 1});
    ASSERT_LE(phases.buckets().size(), 64U);
  }
  EXPECT_EQ(steps_in(phases.buckets()), 1000);
  EXPECT_EQ(phases.last_step(), 1000);
  const std::vector<PhaseBucket> one = phases.over(1, 1000, 1);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].first, 1);
  EXPECT_EQ(one[0].last, 1000);
  EXPECT_DOUBLE_EQ(one[0].seconds, 1008);
  EXPECT_DOUBLE_EQ(one[0].compute, 504);
  EXPECT_EQ(one[0].tokens, 10'000);
  EXPECT_EQ(one[0].longest, 9.0f);  // a spike stays
}

TEST(StepPhases, ARangeHasAtMostAsManyBucketsAsAskedFor) {
  StepPhases phases;
  std::vector<StepRecord> records;
  for (int64_t step = 1; step <= 1000; ++step) records.push_back(record_of(step, 1));
  phases.add(records);
  const std::vector<PhaseBucket> part = phases.over(101, 200, 10);
  ASSERT_EQ(part.size(), 10U);
  EXPECT_EQ(part.front().first, 101);
  EXPECT_EQ(part.back().last, 200);
  EXPECT_EQ(steps_in(part), 100);
  EXPECT_EQ(phases.over(101, 200, 2000).size(), 100U);
  EXPECT_TRUE(phases.over(2000, 3000, 10).empty());
}

TEST(StepPhases, AStepThatIsComputedAgainUndoesTheLaterOnes) {
  StepPhases phases;
  std::vector<StepRecord> records;
  for (int64_t step = 1; step <= 100; ++step) records.push_back(record_of(step, 1));
  for (int64_t step = 51; step <= 60; ++step) records.push_back(record_of(step, 3));
  phases.add(records);
  EXPECT_EQ(phases.last_step(), 60);
  EXPECT_EQ(steps_in(phases.buckets()), 60);
  EXPECT_DOUBLE_EQ(phases.over(1, 100, 1).front().seconds, 50 + 30);
}

}  // namespace
}  // namespace verbund
