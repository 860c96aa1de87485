// SPDX-License-Identifier: Apache-2.0
#include "mixture/training_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "unit/data/made_split.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Pairs = std::vector<uint32_t>;

// Pair 0: [5 6] -> [7], pair 1: [] -> [8 9], pair 2: [10] -> [], pair 3: [11 12 13] -> [14].
class BatchTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  BatchTest() : split_(write()) {}

  Split write() {
    const std::vector<TokenId> ids = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    const std::vector<uint32_t> lengths = {2, 1, 0, 2, 1, 0, 3, 1};
    return made_split(folder_.path(), "train", GetParam(), ids, lengths);
  }

  TemporaryFolder folder_;
  Split split_;
};

INSTANTIATE_TEST_SUITE_P(TokensOfTwoAndFourBytes, BatchTest, ::testing::Values(100, 100000));

TEST_P(BatchTest, SentencesArePackedWithTheirMarks) {
  Batch batch;
  fill(batch, split_, Pairs{3, 1, 0});
  EXPECT_THAT(batch.source, ElementsAre(11, 12, 13, 1, 1, 5, 6, 1));
  EXPECT_THAT(batch.source_offsets, ElementsAre(0, 4, 5, 8));
  EXPECT_THAT(batch.target_input, ElementsAre(2, 14, 2, 8, 9, 2, 7));
  EXPECT_THAT(batch.target_output, ElementsAre(14, 1, 8, 9, 1, 7, 1));
  EXPECT_THAT(batch.target_offsets, ElementsAre(0, 2, 5, 7));
  EXPECT_THAT(batch.sentence_ids, ElementsAre(3, 1, 0));
  EXPECT_EQ(batch.sentences(), 3u);
  EXPECT_EQ(batch.source_tokens(), 8u);
  EXPECT_EQ(batch.target_tokens(), 7u);
  EXPECT_EQ(batch.longest_source, 4);
  EXPECT_EQ(batch.longest_target, 3);
}

TEST_P(BatchTest, AnEmptySideIsItsMarkAlone) {
  Batch batch;
  fill(batch, split_, Pairs{2});
  EXPECT_THAT(batch.source, ElementsAre(10, 1));
  EXPECT_THAT(batch.target_input, ElementsAre(2));
  EXPECT_THAT(batch.target_output, ElementsAre(1));
  EXPECT_THAT(batch.target_offsets, ElementsAre(0, 1));
}

TEST_P(BatchTest, FillingReplacesWhatWasThere) {
  Batch batch;
  fill(batch, split_, Pairs{3, 1});
  fill(batch, split_, Pairs{2});
  EXPECT_THAT(batch.source, ElementsAre(10, 1));
  EXPECT_THAT(batch.source_offsets, ElementsAre(0, 2));
  EXPECT_THAT(batch.sentence_ids, ElementsAre(2));
  EXPECT_EQ(batch.longest_source, 2);
  EXPECT_EQ(batch.longest_target, 1);
}

TEST_P(BatchTest, ABatchOfNothingLooksLikeANewOne) {
  Batch batch;
  fill(batch, split_, Pairs{0, 1, 2, 3});
  fill(batch, split_, Pairs{});
  for (const Batch& empty : {batch, Batch()}) {
    EXPECT_THAT(empty.source, IsEmpty());
    EXPECT_THAT(empty.target_input, IsEmpty());
    EXPECT_THAT(empty.target_output, IsEmpty());
    EXPECT_THAT(empty.source_offsets, ElementsAre(0));
    EXPECT_THAT(empty.target_offsets, ElementsAre(0));
    EXPECT_EQ(empty.sentences(), 0u);
    EXPECT_EQ(empty.longest_source, 0);
    EXPECT_EQ(empty.longest_target, 0);
  }
}

TEST_P(BatchTest, MemoryIsKept) {
  const auto addresses = [](const Batch& batch) {
    return std::vector<const void*>{batch.source.data(),         batch.target_input.data(),
                                    batch.target_output.data(),  batch.source_offsets.data(),
                                    batch.target_offsets.data(), batch.sentence_ids.data()};
  };
  Batch batch;
  fill(batch, split_, Pairs{0, 1, 2, 3});
  const auto before = addresses(batch);
  for (const Pairs& pairs : {Pairs{2}, Pairs{}, Pairs{3, 2, 1, 0}, Pairs{1, 1}, Pairs{0, 1, 2, 3}}) {
    fill(batch, split_, pairs);
    EXPECT_EQ(addresses(batch), before);
  }
}

}  // namespace
}  // namespace verbund
