// SPDX-License-Identifier: Apache-2.0
#include "mixture/mixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/made_split.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Pairs of one token a side.
Split split_of_pairs(const fs::path& folder, const std::string& name, size_t pairs) {
  return made_split(folder, name, 100, std::vector<TokenId>(2 * pairs, 4), std::vector<uint32_t>(2 * pairs, 1));
}

// Corpora a, b, c with 600, 300 and 100 pairs.
class MixtureTest : public ::testing::Test {
 protected:
  std::vector<MixtureStage> stages(const MixtureConfig& config) const {
    return plan_stages(config, set_, {600, 300, 100});
  }

  TemporaryFolder folder_;
  Split a_ = split_of_pairs(folder_.path(), "a", 600), b_ = split_of_pairs(folder_.path(), "b", 300),
        c_ = split_of_pairs(folder_.path(), "c", 100);
  TrainingSet set_ = TrainingSet({{"a", &a_}, {"b", &b_}, {"c", &c_}});
};

TEST(Apportion, GivesEachItsShareAndTheRestToTheLargestRemainders) {
  EXPECT_THAT(apportion({0.5, 0.3, 0.2}, 10), ElementsAre(5, 3, 2));
  EXPECT_THAT(apportion({0.55, 0.27, 0.18}, 10), ElementsAre(5, 3, 2));
  EXPECT_THAT(apportion({1.0 / 3, 1.0 / 3, 1.0 / 3}, 100), ElementsAre(34, 33, 33));
  EXPECT_THAT(apportion({0.999999, 0, 0.000001}, 10), ElementsAre(10, 0, 1));
  for (uint64_t total = 1000; total < 1100; ++total) {
    const std::vector<uint64_t> counts = apportion({0.61, 0.29, 0.1}, total);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), uint64_t{0}), total);
    EXPECT_NEAR(static_cast<double>(counts[1]), 0.29 * static_cast<double>(total), 1);
  }
}

TEST_F(MixtureTest, WithoutWeightsAnEpochHasEveryPairOnce) {
  const auto plain = stages({});
  EXPECT_EQ(plain.size(), 1u);
  EXPECT_THAT(plain[0].draws, IsEmpty());
  EXPECT_THAT(plain[0].shares, ElementsAre(0.6, 0.3, 0.1));
  EXPECT_FALSE(plain[0].ends());
}

TEST_F(MixtureTest, WeightsAreSharesOfThePairsThatAreDrawn) {
  const auto mixed = stages({.weights = {{"a", 7}, {"c", 3}}});
  EXPECT_THAT(mixed[0].shares, ElementsAre(0.7, 0, 0.3));
  EXPECT_THAT(mixed[0].draws, ElementsAre(490, 0, 210));  // of 700 pairs
  EXPECT_THAT(stages({.weights = {{"b", 1}}, .epoch_pairs = 50})[0].draws, ElementsAre(0, 50, 0));
}

TEST_F(MixtureTest, AWeightOfTheDatasetCountsForEachPair) {
  set_ = TrainingSet({{"a", &a_, 1}, {"b", &b_, 1}, {"c", &c_, 11}});
  EXPECT_THAT(stages({})[0].draws, ElementsAre(300, 150, 550));
  EXPECT_THAT(stages({.weights = {{"a", 1}, {"b", 1}}})[0].draws, ElementsAre(450, 450, 0));
}

TEST_F(MixtureTest, ATemperatureEvensCorporaOut) {
  EXPECT_THAT(stages({.temperature = 1})[0].draws, IsEmpty());
  const auto shares = stages({.temperature = 2})[0].shares;
  EXPECT_NEAR(shares[0] / shares[2], std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(stages({.temperature = 1000})[0].shares[2], 1.0 / 3, 1e-3);
  EXPECT_NEAR(stages({.temperature = 0.5})[0].shares[1], 9.0 / 46, 1e-12);  // squares of 6, 3 and 1
}

// 600^(1/T) is beyond the numbers there are.
TEST_F(MixtureTest, ASmallTemperatureLeavesTheLargestCorpus) {
  for (const double temperature : {0.005, 1e-6, 1e-300, 5e-324}) {
    const MixtureStage stage = stages({.temperature = temperature})[0];
    EXPECT_NEAR(stage.shares[0], 1, 1e-9) << temperature;
    EXPECT_NEAR(stage.shares[1] + stage.shares[2], 0, 1e-9) << temperature;
    EXPECT_GE(stage.draws[0], 598u) << temperature;
  }
}

TEST_F(MixtureTest, StagesHaveWeightsOfTheirOwnAndAnEnd) {
  MixtureConfig config = {.weights = {{"a", 1}, {"b", 1}}};
  config.stages.resize(3);
  config.stages[0] = {.name = "first", .epochs = 3, .of = "b"};
  config.stages[1] = {.weights = {{"c", 1}}, .until = StageUntil::kBleu, .patience = 4};
  config.stages[2] = {.temperature = 1};
  const auto planned = stages(config);
  EXPECT_THAT(planned[0].shares, ElementsAre(0.5, 0.5, 0));
  EXPECT_EQ(planned[0].corpus, 1);
  EXPECT_THAT(planned[1].draws, ElementsAre(0, 0, 100));
  EXPECT_EQ(planned[1].name, "2");
  EXPECT_THAT(planned[2].draws, ElementsAre(600, 300, 100));
  EXPECT_FALSE(planned[2].ends());
  EXPECT_THAT(describe(planned[0], set_), HasSubstr("3 epochs of b"));
  const std::string all = describe(planned, set_);
  for (const char* part : {"of b (900 pairs", "4 evaluations (100 pairs", "10 % (1000 pairs"}) {
    EXPECT_THAT(all, HasSubstr(part));  // each stage has its own number
  }
}

TEST_F(MixtureTest, WhatCannotBeMixedIsRefused) {
  const auto with_stage = [](const StageConfig& stage) { return MixtureConfig{.stages = {stage}}; };
  EXPECT_ERROR(stages({.weights = {{"d", 1}}}), UsageError, HasSubstr("d"), HasSubstr("a, b, c"));
  set_ = TrainingSet({{"a", &a_, 1e307}, {"b", &b_}, {"c", &c_}});
  EXPECT_ERROR(stages({}), UsageError, HasSubstr("too large"));
  set_ = TrainingSet({{"a", &a_}, {"b", &b_}, {"c", &c_}});
  EXPECT_ERROR(stages({.weights = {{"a", 0}}}), UsageError, HasSubstr("mixture"));
  EXPECT_ERROR(stages({.weights = {{"a", 1}}, .temperature = 2}), UsageError, HasSubstr("temperature"));
  EXPECT_ERROR(stages({.stages = {{}, {.steps = 10}}}), UsageError, HasSubstr("stages[0]"));
  EXPECT_ERROR(stages(with_stage({.epochs = 1, .steps = 10})), UsageError, HasSubstr("more than one"));
  EXPECT_ERROR(stages(with_stage({.of = "a", .steps = 10})), UsageError, HasSubstr("epochs"));
  EXPECT_ERROR(stages(with_stage({.weights = {{"a", 1}}, .epochs = 1, .of = "b"})), UsageError, HasSubstr("b"));
  EXPECT_ERROR(plan_stages({.weights = {{"a", 1}}}, set_, {0, 300, 100}), UsageError, HasSubstr("max_length"));
}

}  // namespace
}  // namespace verbund
