// SPDX-License-Identifier: Apache-2.0
#include "evaluate/test_set.h"

#include <gmock/gmock.h>

#include "data/dataset_format.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PairsInTurn, AreDrawnEvenlyFromAllParts) {
  EXPECT_THAT(in_turn({2, 3, 1}), ElementsAre(0, 2, 5, 1, 3, 4));
  EXPECT_THAT(in_turn({0, 2, 2}), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(in_turn({3}), ElementsAre(0, 1, 2)) << "those of one source keep their order";
  EXPECT_THAT(in_turn({}), IsEmpty());
}

// 200 training pairs; the source of pair i is one token, 10 + i, and the target has i % 20 tokens.
class TrainProbe : public ::testing::Test {
 protected:
  void SetUp() override {
    SplitWriter writer(folder_.path(), "train", 1000);
    std::vector<TokenId> ids;
    std::vector<uint32_t> lengths;
    for (uint32_t i = 0; i < 200; ++i) {
      ids.push_back(static_cast<TokenId>(10 + i));
      ids.insert(ids.end(), i % 20, 7);
      lengths.insert(lengths.end(), {1, i % 20});
    }
    writer.add(ids, lengths);
    FileRecords records;
    writer.commit(records);
  }

  TestSet probe(int64_t pairs, int64_t max_length, uint64_t seed) {
    return choose_train_probe(Split(folder_.path(), "train", 1000, 1000), pairs, max_length, seed);
  }

  TemporaryFolder folder_;
};

TEST_F(TrainProbe, IsAlwaysTheSame) {
  const TestSet first = probe(30, 100, 1), again = probe(30, 100, 1);
  EXPECT_THAT(first.source_tokens, SizeIs(30));
  EXPECT_EQ(first.source_tokens, again.source_tokens);
  EXPECT_EQ(first.reference_tokens, again.reference_tokens);
  EXPECT_NE(first.source_tokens, probe(30, 100, 2).source_tokens);
}

TEST_F(TrainProbe, HasWholePairsEachOnce) {
  const TestSet set = probe(50, 100, 3);
  TokenId last = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    const TokenId source = set.source_tokens[i].at(0);
    EXPECT_GT(source, last);
    last = source;
    EXPECT_EQ(set.reference_tokens[i], Sentence(static_cast<size_t>(source - 10) % 20, 7));
  }
}

TEST_F(TrainProbe, LeavesOutWhatIsNotTrainedOn) {
  const TestSet set = probe(1000, 11, 1);  // with </s>
  EXPECT_THAT(set.source_tokens, SizeIs(110));
  for (const Sentence& target : set.reference_tokens) EXPECT_LE(target.size(), 10u);
}

TEST_F(TrainProbe, TakesEveryPairEquallyOften) {
  std::vector<int> times(200);
  for (uint64_t seed = 0; seed < 500; ++seed) {
    for (const Sentence& source : probe(40, 100, seed).source_tokens) ++times[static_cast<size_t>(source[0] - 10)];
  }
  // 100 times on average, with a deviation of 9.
  EXPECT_GE(*std::ranges::min_element(times), 60);
  EXPECT_LE(*std::ranges::max_element(times), 140);
}

}  // namespace
}  // namespace verbund
