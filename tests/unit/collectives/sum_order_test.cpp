// SPDX-License-Identifier: Apache-2.0
#include "collectives/sum_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

using ::testing::ElementsAre;

TEST(SumOrder, RangesAreSplitAtThePowerOfTwoBelow) {
  EXPECT_EQ(split_of({0, 2}), 1);
  EXPECT_EQ(split_of({0, 3}), 2);
  EXPECT_EQ(split_of({0, 4}), 2);
  EXPECT_EQ(split_of({0, 6}), 4);
  EXPECT_EQ(split_of({4, 7}), 6);
}

TEST(SumOrder, WorkersSideBySideAddUpBeforehand) {
  EXPECT_THAT(parts_of(std::vector{0, 1}, 4), ElementsAre(RankRange{0, 2}));
  EXPECT_THAT(parts_of(std::vector{2, 3}, 4), ElementsAre(RankRange{2, 4}));
  EXPECT_THAT(parts_of(std::vector{1, 2, 3}, 4), ElementsAre(RankRange{1, 2}, RankRange{2, 4}));
  EXPECT_THAT(parts_of(std::vector{0, 2}, 4), ElementsAre(RankRange{0, 1}, RankRange{2, 3}));
  for (int host = 0; host < 5; ++host) {  // any number of hosts with 4 slots each
    const int first = 4 * host;
    EXPECT_THAT(parts_of(std::vector{first, first + 1, first + 2, first + 3}, 20),
                ElementsAre(RankRange{first, first + 4}));
  }
}

// Numbers for which each order of addition gives another result.
TEST(SumOrder, TheOrderIsTheTreesWhateverIsGiven) {
  const float values[] = {1e8f, 3.0f, -1e8f, 5.0f, 7e7f};
  const float expected = ((values[0] + values[1]) + (values[2] + values[3])) + values[4];
  std::vector<RankRange> ranks;
  std::vector<const float*> sources;
  for (int rank = 0; rank < 5; ++rank) {
    ranks.push_back({rank, rank + 1});
    sources.push_back(&values[rank]);
  }
  float sum = 0;
  OrderedSum({0, 5}, ranks).add(sources, 1, &sum);
  EXPECT_EQ(sum, expected);

  float part = 0;
  OrderedSum({2, 4}, ranks).add(sources, 1, &part);
  const std::vector<RankRange> given = {{4, 5}, {0, 1}, {1, 2}, {2, 4}};
  OrderedSum({0, 5}, given).add(std::vector<const float*>{&values[4], &values[0], &values[1], &part}, 1, &sum);
  EXPECT_EQ(sum, expected);
}

TEST(SumOrder, ASumMayTakeThePlaceOfOneOfItsSources) {
  std::vector<float> left(5000, 1.5f), right(5000, 2.0f);
  const std::vector<RankRange> ranks = {{0, 1}, {1, 2}};
  OrderedSum({0, 2}, ranks).add(std::vector<const float*>{left.data(), right.data()}, left.size(), right.data());
  EXPECT_EQ(right, std::vector<float>(5000, 3.5f));
}

TEST(SumOrder, ARangeMayBeGivenAsItIs) {
  const float values[] = {1, 2};
  float sum = 0;
  OrderedSum({1, 2}, std::vector<RankRange>{{0, 1}, {1, 2}})
      .add(std::vector<const float*>{&values[0], &values[1]}, 1, &sum);
  EXPECT_EQ(sum, 2);
}

}  // namespace
}  // namespace verbund
