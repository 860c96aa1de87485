#include "plan/batch_facts.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

// A dataset whose pairs all have 9 source and 4 target tokens: 10 and 5 with </s>.
class BatchFactsTest : public testing::Test {
 protected:
  BatchFactsTest() {
    DatasetManifest manifest;
    manifest.name = "made";
    manifest.source_language = manifest.target_language = "xx";
    manifest.source_model = manifest.target_model = "joint.model";
    manifest.source_vocabulary = manifest.target_vocabulary = 50;
    write_file(folder_.path() / "joint.model", "none");
    SplitWriter writer(folder_.path(), "train", 50);
    Random random(1, 0);
    std::vector<TokenId> ids;
    std::vector<uint32_t> lengths;
    for (size_t pair = 0; pair < kPairs; ++pair) {
      for (int i = 0; i < 9; ++i) ids.push_back(static_cast<TokenId>(4 + random.below(46)));
      for (int i = 0; i < 4; ++i) ids.push_back(7);
      lengths.insert(lengths.end(), {9, 4});
    }
    writer.add(ids, lengths);
    writer.commit(manifest.files);
    manifest.splits["train"] = kPairs;
    write_manifest(folder_.path(), manifest);
  }

  static constexpr size_t kPairs = 1000;
  TemporaryFolder folder_;
};

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
