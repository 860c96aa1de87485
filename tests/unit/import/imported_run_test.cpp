// SPDX-License-Identifier: Apache-2.0
#include "import/imported_run.h"

#include "unit/import/shown_points.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(UndoneSteps, AStraightRunStaysAsItIs) {
  std::vector<ImportedPoint> points = {{"a", 0, 1}, {"b", 0, 2}, {"a", 10, 3}};
  EXPECT_THAT(drop_undone(points), IsEmpty());
  EXPECT_THAT(shown(points), ElementsAre("a 0 1", "b 0 2", "a 10 3"));
}

TEST(UndoneSteps, WhatWasDoneAgainReplacesWhatWasThereInAllCurves) {
  std::vector<ImportedPoint> points = {{"a", 10, 1}, {"a", 20, 2}, {"b", 15, 3}, {"b", 5, 4},
                                       {"a", 30, 5}, {"a", 15, 6}, {"a", 25, 7}};
  // "b" goes back to 5, then "a" to 15.
  EXPECT_THAT(drop_undone(points), ElementsAre(AllOf(HasSubstr("15 to 5"), HasSubstr("4 values"))));
  EXPECT_THAT(shown(points), ElementsAre("b 5 4", "a 15 6", "a 25 7"));
}

TEST(UndoneSteps, AStepThatStandsThereTwiceCountsOnce) {
  std::vector<ImportedPoint> points = {{"a", 10, 1}, {"b", 10, 9}, {"a", 10, 2}, {"a", 20, 3}};
  EXPECT_THAT(drop_undone(points), ElementsAre(HasSubstr("1 values")));
  EXPECT_THAT(shown(points), ElementsAre("b 10 9", "a 10 2", "a 20 3"));
}

TEST(UndoneSteps, TimesTellTheOrder) {
  std::vector<ImportedPoint> points = {{"a", 30, 3, 103}, {"a", 10, 1, 101}, {"a", 20, 2, 102}, {"b", 5, 9, 101.5}};
  EXPECT_THAT(drop_undone(points), ElementsAre(HasSubstr("2 values")));
  EXPECT_THAT(shown(points), ElementsAre("a 10 1", "b 5 9", "a 20 2", "a 30 3"));
}

TEST(UndoneSteps, AfterARestartTimesTellWhichIsTheLater) {
  // The restart is written first.
  std::vector<ImportedPoint> points = {
      {"a", 20, 5, 200}, {"a", 30, 6, 201}, {"a", 10, 1, 100}, {"a", 20, 2, 101}, {"a", 40, 3, 102}};
  drop_undone(points);
  EXPECT_THAT(shown(points), ElementsAre("a 10 1", "a 20 5", "a 30 6"));
}

}  // namespace
}  // namespace verbund
