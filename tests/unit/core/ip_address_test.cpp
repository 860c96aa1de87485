// SPDX-License-Identifier: Apache-2.0
#include "core/ip_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace verbund {
namespace {

IpAddress address(const std::string& text) { return IpAddress::parse(text).value(); }

TEST(IpAddressTest, ComesBackAsItWas) {
  for (const char* text : {"10.0.0.1", "255.255.255.255", "::1", "fd00:231::1", "fe80::1"}) {
    EXPECT_EQ(address(text).text(), text);
    const auto [place, size] = address(text).with_port(80);
    EXPECT_EQ(IpAddress::of(reinterpret_cast<const sockaddr*>(&place)), address(text));
    EXPECT_EQ(size > 16, address(text).family() == AF_INET6);
  }
  EXPECT_EQ(address("FD00:0231:0::0001").text(), "fd00:231::1");
}

TEST(IpAddressTest, OtherTextIsNone) {
  for (const char* text : {"", "a", "10.0.0", "10.0.0.256", "fd00::1::2", "10.0.0.1/8", "fe80::1%eth0", "[::1]"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
  EXPECT_FALSE(IpAddress::of(nullptr));
}

TEST(IpAddressTest, KnowsWhatStaysAtHome) {
  for (const char* text : {"127.0.0.1", "127.8.0.1", "::1"}) EXPECT_TRUE(address(text).is_loopback()) << text;
  for (const char* text : {"128.0.0.1", "::2", "7f00::"}) EXPECT_FALSE(address(text).is_loopback()) << text;
  for (const char* text : {"169.254.1.1", "fe80::1", "febf::1"}) EXPECT_TRUE(address(text).is_link_local()) << text;
  for (const char* text : {"169.255.1.1", "fec0::1", "fd00::1"}) EXPECT_FALSE(address(text).is_link_local()) << text;
}

TEST(IpNetworkTest, ContainsWhatBeginsLikeIt) {
  const auto contains = [](const char* network, const char* one) {
    return IpNetwork::parse(network).value().contains(address(one));
  };
  EXPECT_TRUE(contains("10.0.0.0/24", "10.0.0.255"));
  EXPECT_FALSE(contains("10.0.0.0/24", "10.0.1.0"));
  EXPECT_TRUE(contains("10.0.0.7/24", "10.0.0.1")) << "the rest of the address does not count";
  EXPECT_TRUE(contains("10.0.0.128/25", "10.0.0.129"));
  EXPECT_FALSE(contains("10.0.0.128/25", "10.0.0.127"));
  EXPECT_TRUE(contains("10.0.0.1/32", "10.0.0.1"));
  EXPECT_TRUE(contains("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(contains("0.0.0.0/0", "::1"));
  EXPECT_TRUE(contains("fd00:231::/64", "fd00:231::ffff"));
  EXPECT_FALSE(contains("fd00:231::/64", "fd00:231:0:1::1"));
}

TEST(IpNetworkTest, OtherTextIsNone) {
  for (const char* text :
       {"eth0", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "fd00::/129", "/8", "a/8", "10.0.0.0/8x"}) {
    EXPECT_FALSE(IpNetwork::parse(text)) << text;
  }
}

TEST(OwnAddresses, TheLoopbackIsNotForOthers) {
  for (const OwnAddress& own : own_addresses()) {
    EXPECT_NE(own.interface, "");
    EXPECT_FALSE(own.is_for_others() && own.address.is_loopback());
  }
  EXPECT_FALSE((OwnAddress{"eth0", address("fe80::1"), true}).is_for_others());
  EXPECT_FALSE((OwnAddress{"eth0", address("fd00::1"), false}).is_for_others());
  EXPECT_FALSE((OwnAddress{"lo", address("10.0.0.1"), true, true}).is_for_others());
  EXPECT_TRUE((OwnAddress{"eth0", address("fd00::1"), true}).is_for_others());
  EXPECT_TRUE((OwnAddress{"eth0", address("169.254.1.1"), true}).is_for_others());
}

}  // namespace
}  // namespace verbund
