// SPDX-License-Identifier: Apache-2.0
#include "control/sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/control/made_network.h"

namespace verbund {
namespace {

TEST(Sockets, AnEndpointIsWrittenAsUsual) {
  EXPECT_EQ((Endpoint{address("10.0.0.1"), 4000}).text(), "10.0.0.1:4000");
  EXPECT_EQ((Endpoint{address("fd00::1"), 4000}).text(), "[fd00::1]:4000");
}

TEST(Sockets, WhereOneListensOnlyThereOneIsHeard) {
  uint16_t port = 0;
  const Socket listening = listen_at(address("127.0.0.1"), port);
  ASSERT_TRUE(listening.is_open());
  EXPECT_TRUE(connect_to({address("127.0.0.1"), port}, 5).is_open());
  EXPECT_FALSE(connect_to({address("127.0.0.2"), port}, 5).is_open()) << "the same machine by another address";
}

TEST(Sockets, AnAddressOfOthersCannotBeListenedAt) {
  uint16_t port = 0;
  EXPECT_FALSE(listen_at(address("192.0.2.1"), port).is_open());
  EXPECT_FALSE(listen_at(address("2001:db8::1"), port).is_open());
}

TEST(Sockets, EverywhereIsBothVersions) {
  uint16_t port = 0;
  const Socket listening = listen_everywhere(port);
  EXPECT_TRUE(connect_to({address("127.0.0.1"), port}, 5).is_open());
  uint16_t other = 0;
  const bool has_ipv6 = listen_at(address("::1"), other).is_open();
  EXPECT_EQ(connect_to({address("::1"), port}, 5).is_open(), has_ipv6);
}

TEST(Sockets, PacketsToTheLoopbackComeFromIt) { EXPECT_EQ(source_towards(address("127.0.0.1")), address("127.0.0.1")); }

TEST(Sockets, TheNetworkOfAThreadHasAName) {
  EXPECT_THAT(network_identity(), ::testing::HasSubstr("net:["));
  EXPECT_EQ(network_identity(), network_identity());
}

}  // namespace
}  // namespace verbund
