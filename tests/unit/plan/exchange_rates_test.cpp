#include "plan/exchange_rates.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

PieceOnTheWay values(double count, double bytes = 4) {
  PieceOnTheWay piece;
  piece.values = count;
  piece.value_bytes = bytes;
  return piece;
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

// Three neighbours are no range of the tree that sums are added in: they send two parts to where it is summed.
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
  EXPECT_EQ(ExchangeLayout::of(hosts, 3).most_on_a_host, 2);
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

TEST(ExchangeRates, AShardedOptimiserHasTheTwoWaysApart) {
  ExchangeRates rates;
  rates.link = 100;
  PieceOnTheWay piece = values(300);
  piece.way = Way::kToSum;
  EXPECT_DOUBLE_EQ(time_of(piece, {6, 2, 3, false, 2}, rates).sent_bytes, 1200);
  piece.way = Way::kBack;
  EXPECT_DOUBLE_EQ(time_of(piece, {6, 2, 3, false, 2}, rates).sent_bytes, 600);
}

}  // namespace
}  // namespace verbund
