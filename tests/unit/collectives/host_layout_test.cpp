// SPDX-License-Identifier: Apache-2.0
#include "collectives/host_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace verbund {
namespace {

using ::testing::ElementsAre;

HostLayout on(const std::vector<int>& slots) {
  std::vector<std::string> hosts;
  for (size_t host = 0; host < slots.size(); ++host)
    hosts.insert(hosts.end(), static_cast<size_t>(slots[host]), std::to_string(host));
  return HostLayout(hosts);
}

TEST(HostLayout, KnowsWhoIsWhere) {
  const HostLayout layout({"a", "b", "a"});
  EXPECT_EQ(layout.hosts(), 2);
  EXPECT_THAT(layout.ranks_of(0), ElementsAre(0, 2));
  EXPECT_EQ(layout.host_of(1), 1);
  EXPECT_EQ(layout.local_rank(2), 1);
  EXPECT_EQ(layout.parts_of(0).size(), 2u);  // they are not side by side
}

TEST(HostLayout, HostsAndTheirWorkersTakeTurns) {
  const HostLayout layout = on({2, 2});
  std::map<int, int> sums;
  for (size_t chunk = 0; chunk < 8; ++chunk) {
    const int rank = layout.summing_rank(chunk, SumsAt::kAnyHost);
    ++sums[rank];
    EXPECT_EQ(layout.chunk_leader(layout.host_of(rank), chunk, SumsAt::kAnyHost), rank);
  }
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(sums[rank], 2);
}

TEST(HostLayout, OwnersSumWhatIsTheirsAndTheOthersTakeTurns) {
  const HostLayout layout = on({2, 2});
  std::map<int, int> leads;
  for (size_t chunk = 0; chunk < 8; ++chunk) {
    const int owner = static_cast<int>(chunk % 4);
    EXPECT_EQ(layout.summing_rank(chunk, SumsAt::kOwner), owner);
    EXPECT_EQ(layout.chunk_leader(layout.host_of(owner), chunk, SumsAt::kOwner), owner);
    ++leads[layout.chunk_leader(1 - layout.host_of(owner), chunk, SumsAt::kOwner)];
  }
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(leads[rank], 2);
}

// 1 + 3 workers: the three have two parts to send, so they sum, and each host sends the gradient once.
TEST(HostLayout, WhoHasMorePartsSumsIfThatIsLess) {
  const HostLayout layout = on({1, 3});
  for (size_t chunk = 0; chunk < 12; ++chunk) {
    EXPECT_EQ(layout.host_of(layout.summing_rank(chunk, SumsAt::kAnyHost)), 1);
  }
}

// h hosts that send one part each send 2 (h-1) gradients. Of 3 + 3 workers, both hosts have two parts.
TEST(HostLayout, CountsTheTrafficOfAllHosts) {
  EXPECT_DOUBLE_EQ(on({4}).all_traffic(), 0);
  EXPECT_DOUBLE_EQ(on({2, 2}).all_traffic(), 2);
  EXPECT_DOUBLE_EQ(on({1, 1, 1}).all_traffic(), 4);
  EXPECT_DOUBLE_EQ(on({1, 3}).all_traffic(), 2);
  EXPECT_DOUBLE_EQ(on({3, 3}).all_traffic(), 3);
}

}  // namespace
}  // namespace verbund
