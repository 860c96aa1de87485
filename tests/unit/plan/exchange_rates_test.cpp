// SPDX-License-Identifier: Apache-2.0
#include "plan/exchange_rates.h"

#include <gtest/gtest.h>

#include "doctor/facts.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using testing::HasSubstr;

GradientMessage values(double count, double bytes = 4) {
  GradientMessage message;
  message.values = count;
  message.value_bytes = bytes;
  return message;
}

double sent(const char* hosts, bool ring = false, double bytes = 4) {
  const std::vector<Host> list = parse_host_list(hosts);
  ExchangeLayout layout = ExchangeLayout::of(list, total_slots(list));
  layout.ring = ring;
  ExchangeRates rates;
  rates.link = 1;
  return time_of(values(300, bytes), layout, rates).sent_bytes;
}

TEST(ExchangeRates, AHostSendsTheSameHoweverManyWorkersItHas) {
  EXPECT_DOUBLE_EQ(sent("a:1,b:1"), 1200);
  EXPECT_DOUBLE_EQ(sent("a:2,b:2"), 1200);
  EXPECT_DOUBLE_EQ(sent("a:4,b:4"), 1200);
  EXPECT_DOUBLE_EQ(sent("a:1,b:1,c:1"), 1600);
  EXPECT_DOUBLE_EQ(sent("a:4"), 0);
}

// Three neighbours are not a range of the tree that sums are added in: they send two parts to where it is summed.
TEST(ExchangeRates, HostsWithoutAPowerOfTwoSendMore) {
  EXPECT_DOUBLE_EQ(sent("a:3,b:3"), 1800);
  EXPECT_DOUBLE_EQ(sent("a:3,b:3", true), 2000) << "a ring of six has no such tree";
}

TEST(ExchangeRates, HalfTheBytesInSixteenBits) { EXPECT_DOUBLE_EQ(sent("a:2,b:2", false, 2), 600); }

TEST(ExchangeRates, ARingOfGpusSendsWhatItsMembersMakeOfIt) { EXPECT_DOUBLE_EQ(sent("a:2,b:2", true), 1800); }

TEST(ExchangeRates, TheFirstWorkersFillTheHostsInOrder) {
  const std::vector<Host> hosts = parse_host_list("a:2,b:2");
  EXPECT_EQ(ExchangeLayout::of(hosts, 2).hosts, 1);
  EXPECT_EQ(ExchangeLayout::of(hosts, 3).hosts, 2);
  EXPECT_EQ(ExchangeLayout::of(hosts, 3).max_workers_per_host, 2);
}

TEST(ExchangeRates, TimeIsLatencyAndBytesOverRates) {
  ExchangeRates rates;
  rates.link = 100;
  rates.round_trip = 0.5;
  rates.memory = 1000;
  EXPECT_DOUBLE_EQ(time_of(values(300), {2, 2, 1, false}, rates).seconds, 0.5 + 12);
  EXPECT_DOUBLE_EQ(time_of(values(300), {4, 2, 2, false}, rates).seconds, 0.5 + 12 + 1.2);
  EXPECT_DOUBLE_EQ(time_of(values(300), {2, 1, 2, false}, rates).seconds, 1.2);
  EXPECT_DOUBLE_EQ(time_of(values(300), {1, 1, 1, false}, rates).seconds, 0);
}

// Rows go by the leaders of the hosts, eight of which meet in a round.
TEST(ExchangeRates, RowsTakeMoreRoundTripsWithMoreHosts) {
  ExchangeRates rates;
  rates.round_trip = 1;
  GradientMessage message;
  message.rows = message.row_values = message.table_rows = 1;
  for (const auto& [hosts, rounds] : {std::pair(1, 0), std::pair(2, 1), std::pair(8, 1), std::pair(9, 2),
                                      std::pair(64, 2), std::pair(65, 3), std::pair(1024, 4)}) {
    EXPECT_DOUBLE_EQ(time_of(message, {hosts, hosts, 1, false}, rates).latency, 3 * rounds) << hosts;
  }
}

// A small bucket is halved in log2(hosts) steps, there and back.
TEST(ExchangeRates, SmallBucketsOfManyHostsTakeARoundTripForEachHalving) {
  ExchangeRates rates;
  rates.round_trip = 1;
  const auto latency = [&](size_t hosts, int slots, double count, double value_bytes) {
    std::vector<Host> all;
    for (size_t i = 0; i < hosts; ++i) all.push_back({fmt::format("h{}", i), slots});
    GradientMessage message = values(count);
    message.value_bytes = value_bytes;
    return time_of(message, ExchangeLayout::of(all, static_cast<int>(hosts) * slots), rates).latency;
  };
  EXPECT_DOUBLE_EQ(latency(256, 2, 1000, 4), 8);
  EXPECT_DOUBLE_EQ(latency(1024, 1, 1000, 4), 10);
  EXPECT_DOUBLE_EQ(latency(256, 2, 1e7, 4), 1);   // large
  EXPECT_DOUBLE_EQ(latency(256, 2, 1000, 2), 1);  // rounded on the wire
  EXPECT_DOUBLE_EQ(latency(256, 3, 1000, 4), 1);  // hosts that are no subtrees
  EXPECT_DOUBLE_EQ(latency(128, 2, 1000, 4), 1);
}

TEST(ExchangeRates, AShardedOptimiserHasTheTwoWaysApart) {
  ExchangeRates rates;
  rates.link = 100;
  GradientMessage message = values(300);
  message.collective = Collective::kReduceScatter;
  EXPECT_DOUBLE_EQ(time_of(message, {6, 2, 3, false, 2}, rates).sent_bytes, 1200);
  message.collective = Collective::kAllGather;
  EXPECT_DOUBLE_EQ(time_of(message, {6, 2, 3, false, 2}, rates).sent_bytes, 600);
}

TEST(MeasuredNetwork, TheSlowestLinkCounts) {
  Facts facts;
  facts.links = {{"a", "b", 2e-4, 0, 118e6}, {"b", "a", 4e-4, 0, 90e6}};
  const ExchangeRates rates = rates_of_hosts(facts);
  EXPECT_DOUBLE_EQ(rates.link, 90e6);
  EXPECT_DOUBLE_EQ(rates.round_trip, 3e-4);
  EXPECT_FALSE(rates.named);
}

TEST(MeasuredNetwork, WithinAHostTheSumTellsOfItsMemory) {
  Facts facts;
  facts.all_reduce = {2, 200, 100, 4};
  EXPECT_DOUBLE_EQ(rates_of_hosts(facts).memory, 25);
  EXPECT_EQ(rates_of_hosts(facts).link, 0);
}

TEST(MeasuredNetwork, HostsThatDidNotComeTogetherAreNotMeasured) {
  Facts facts;
  facts.asked = {{"a", 1, true, ""}, {"b", 1, false, "no route to host"}};
  EXPECT_ERROR(rates_of_hosts(facts), Error, HasSubstr("b "), HasSubstr("no route to host"), HasSubstr("--link"));
  Facts blocked;
  blocked.start = StartResult::kBlocked;
  blocked.start_message = "ports are closed";
  EXPECT_ERROR(rates_of_hosts(blocked), Error, HasSubstr("ports are closed"), HasSubstr("verbund doctor"));
}

}  // namespace
}  // namespace verbund
