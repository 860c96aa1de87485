// SPDX-License-Identifier: Apache-2.0
#include "mixture/mixture_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "unit/data/made_split.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Corpora a and b with 60 and 40 pairs.
class ProgressTest : public ::testing::Test {
 protected:
  MixtureProgress progress(std::vector<StageConfig> stages) const {
    return MixtureProgress(set_, 100, {.stages = std::move(stages)});
  }
  Split made(const std::string& name, size_t pairs) const {
    return made_split(folder_.path(), name, 100, std::vector<TokenId>(2 * pairs, 4),
                      std::vector<uint32_t>(2 * pairs, 1));
  }

  TemporaryFolder folder_;
  Split a_ = made("a", 60), b_ = made("b", 40);
  TrainingSet set_ = TrainingSet({{"a", &a_}, {"b", &b_}});
};

TEST_F(ProgressTest, StagesEndByStepsAndByEpochsOfACorpusOrOfTheMixture) {
  MixtureProgress at = progress({{.steps = 2}, {.epochs = 2, .of = "b"}, {.weights = {{"a", 1}}, .epochs = 1}});
  at.see({10, 5});
  EXPECT_FALSE(at.is_stage_over(1));
  EXPECT_TRUE(at.is_stage_over(2));
  at.enter_next(2, 1, {20, 10});
  EXPECT_THAT(at.draws().before, ElementsAre(20, 10));
  EXPECT_EQ(at.draws().first, 1u);
  at.see({110, 79});
  EXPECT_FALSE(at.is_stage_over(1000));
  at.see({1, 1});
  EXPECT_TRUE(at.is_stage_over(1001));
  EXPECT_FALSE(at.is_over(1001));
  at.enter_next(1001, 4, {130, 90});
  at.see({59, 0});
  EXPECT_FALSE(at.is_over(1010));
  at.see({1, 0});
  EXPECT_TRUE(at.is_over(1011));
  EXPECT_THAT(at.seen(), ElementsAre(181, 85));
  EXPECT_THAT(at.seen(1), ElementsAre(111, 80));
}

TEST_F(ProgressTest, AStageEndsWhenTheMetricHasNotImprovedInIt) {
  MixtureProgress at =
      progress({{.until = StageUntil::kLoss, .patience = 2}, {.until = StageUntil::kBleu, .patience = 1}});
  for (const double loss : {3.0, 2.0, 2.0, 1.5, 1.6}) {
    at.evaluated(loss, true, 0);
    EXPECT_FALSE(at.is_stage_over(1));
  }
  at.evaluated(1.49, true, 0.1);
  EXPECT_TRUE(at.is_stage_over(1));
  at.enter_next(1, 1, {0, 0});
  at.evaluated(-5, false, 0);  // the first of its stage is the best so far
  EXPECT_FALSE(at.is_stage_over(1));
  at.evaluated(-5, false, 0);
  EXPECT_TRUE(at.is_over(1));
}

TEST_F(ProgressTest, ComesBackFromACheckpoint) {
  const std::vector<StageConfig> stages = {{.steps = 2}, {.until = StageUntil::kBleu, .patience = 2}};
  MixtureProgress at = progress(stages);
  at.see({10, 5});
  at.enter_next(2, 1, {20, 10}, 0.6);
  at.see({7, 6});
  at.evaluated(3, false, 0);
  at.evaluated(2, false, 0);
  MixtureProgress again = progress(stages);
  EXPECT_EQ(again.restore(parse_json(dump_json(at.state({30, 12}))), {4, 5}), (BatchPosition{4, 5}));
  EXPECT_EQ(again.state({30, 12}), at.state({30, 12}));
  EXPECT_EQ(again.stage(), 1u);
  EXPECT_EQ(again.skipped_epochs(), 0.6);
  again.evaluated(2, false, 0);
  EXPECT_TRUE(again.is_over(50));
}

TEST_F(ProgressTest, AnotherMixtureGoesOnWhereEachCorpusWas) {
  MixtureProgress at = progress({{.steps = 2}, {.weights = {{"a", 1}}}});
  at.see({10, 5});
  at.enter_next(2, 1, {20, 10});
  at.see({7, 0});
  MixtureProgress other(TrainingSet({{"b", &b_}, {"a", &a_}}), 100, {.weights = {{"a", 1}, {"b", 3}}});
  EXPECT_EQ(other.restore(at.state({33, 10}), {4, 5}), (BatchPosition{5, 0}));
  EXPECT_THAT(other.draws().before, ElementsAre(10, 33));
  EXPECT_EQ(other.draws().first, 5u);
  EXPECT_THAT(other.seen(), ElementsAre(5, 17));
}

TEST_F(ProgressTest, WhatAnOlderCheckpointDoesNotSayIsNotKnown) {
  MixtureProgress at = progress({});
  EXPECT_EQ(at.restore(Json(), {4, 5}), (BatchPosition{4, 5}));
  EXPECT_THAT(at.seen(), IsEmpty());
  MixtureProgress later = progress({});
  later.restore(at.state({1, 2}), {4, 6});
  EXPECT_THAT(later.seen(), IsEmpty());
}

}  // namespace
}  // namespace verbund
