// SPDX-License-Identifier: Apache-2.0
#include "control/control_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/control/made_network.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ControlTree, LeadersStandBetweenWorker0AndTheOthersOfTheirHosts) {
  const ControlTree tree(workers_on({"a", "a", "b", "b", "b", "c"}));
  EXPECT_THAT(tree.children(0), ElementsAre(1, 2, 5));
  EXPECT_THAT(tree.children(2), ElementsAre(3, 4));
  for (const size_t alone : {1, 3, 4, 5}) EXPECT_THAT(tree.children(alone), IsEmpty()) << alone;
  EXPECT_EQ(tree.parent(0), 0u);
  EXPECT_EQ(tree.parent(1), 0u);
  EXPECT_EQ(tree.parent(2), 0u);
  EXPECT_EQ(tree.parent(4), 2u);
  EXPECT_EQ(tree.parent(5), 0u);
}

TEST(ControlTree, IsAStarWithOneHostOrWithOneWorkerEach) {
  for (const auto& hosts : {std::vector<std::string>{"a", "a", "a"}, {"a", "b", "c"}}) {
    const ControlTree tree(workers_on(hosts));
    EXPECT_THAT(tree.children(0), ElementsAre(1, 2));
    EXPECT_EQ(tree.next_hop(1, 2), 0u);
    EXPECT_EQ(tree.next_hop(0, 2), 2u);
  }
}

TEST(ControlTree, RanksOfAHostNeedNotBeNeighbours) {
  const ControlTree tree(workers_on({"a", "b", "a", "b"}));
  EXPECT_THAT(tree.children(0), ElementsAre(1, 2));
  EXPECT_THAT(tree.children(1), ElementsAre(3));
}

// Every frame arrives, over connections that there are, and needs two of them at most to or from worker 0.
TEST(ControlTree, EveryRankIsReached) {
  const ControlTree tree(workers_on({"a", "b", "a", "b", "c", "b", "c"}));
  for (size_t from = 0; from < tree.size(); ++from) {
    for (size_t to = 0; to < tree.size(); ++to) {
      size_t hops = 0;
      for (size_t at = from; at != to; ++hops) {
        const size_t next = tree.next_hop(at, to);
        ASSERT_TRUE(tree.parent(next) == at || tree.parent(at) == next) << at << " to " << next;
        at = next;
      }
      EXPECT_LE(hops, from == 0 || to == 0 ? 2u : 4u);
    }
  }
}

TEST(ControlTree, WhoHearsWhom) {
  const ControlTree tree(workers_on({"a", "a", "b", "b", "b"}));
  const auto heard_by = [&](size_t rank) {
    std::vector<size_t> heard;
    for (size_t other = 0; other < tree.size(); ++other) {
      if (tree.hears(rank, other)) heard.push_back(other);
    }
    return heard;
  };
  EXPECT_THAT(heard_by(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(heard_by(1), ElementsAre(0));
  EXPECT_THAT(heard_by(2), ElementsAre(0, 3, 4));
  EXPECT_THAT(heard_by(3), ElementsAre(0, 2));
}

}  // namespace
}  // namespace verbund
