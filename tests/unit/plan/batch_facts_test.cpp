// SPDX-License-Identifier: Apache-2.0
#include "plan/batch_facts.h"

#include <gtest/gtest.h>

#include "unit/plan/made_dataset.h"

namespace verbund {
namespace {

using BatchFactsTest = OnMadeDataset;

TEST_F(BatchFactsTest, AreThoseOfTheBatchesThatTrainingMakes) {
  BatchesOfDataset batches(folder_.path());
  Config config;
  config.batch.tokens = 400;  // of either side: 40 pairs
  config.train.micro_batch_tokens = 60;
  const BatchFacts facts = batches.facts(config, 2);
  EXPECT_EQ(facts.steps_per_epoch, 25);
  EXPECT_DOUBLE_EQ(facts.source_tokens, 400);
  EXPECT_DOUBLE_EQ(facts.target_tokens, 200);
  EXPECT_DOUBLE_EQ(facts.worker.source, 200);
  EXPECT_DOUBLE_EQ(facts.worker.target, 100);
  EXPECT_DOUBLE_EQ(facts.worker.source_pairs, 20 * 100);
  EXPECT_DOUBLE_EQ(facts.worker.cross_pairs, 20 * 50);
  EXPECT_DOUBLE_EQ(facts.last.source, 20);  // 6 + 6 + 6 + 2 pairs
  EXPECT_DOUBLE_EQ(facts.largest_micro_batch, 90);
  EXPECT_DOUBLE_EQ(facts.distinct_target, 2);  // 7 and <s>
  EXPECT_GT(facts.distinct_source, 40);
  EXPECT_LE(facts.distinct_source, 47);
}

TEST_F(BatchFactsTest, MoreWorkersThanPairsHaveOnePairAtMost) {
  BatchesOfDataset batches(folder_.path());
  Config config;
  config.batch.tokens = 20;
  EXPECT_DOUBLE_EQ(batches.facts(config, 8).worker.source, 10);
}

TEST(AssumedBatches, AreFullAndEven) {
  AssumedBatches batches({1000, 1000}, 20);
  Config config;
  config.batch.tokens = 10000;
  config.train.micro_batch_tokens = 2000;
  const BatchFacts facts = batches.facts(config, 2);
  EXPECT_DOUBLE_EQ(facts.worker.target, 5000);
  EXPECT_DOUBLE_EQ(facts.worker.target_pairs, 5000 * 20);
  EXPECT_DOUBLE_EQ(facts.last.target, 1000);
  EXPECT_EQ(facts.steps_per_epoch, 0);
}

TEST(ExpectedDistinct, IsNeitherMoreThanTokensNorThanPieces) {
  EXPECT_NEAR(expected_distinct(1, 32768), 1, 0.1);
  EXPECT_LT(expected_distinct(2000, 32768), 1200);
  EXPECT_NEAR(expected_distinct(1e9, 1000), 1000, 1e-6);
}

}  // namespace
}  // namespace verbund
