#include "plan/measured_network.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace verbund {
namespace {

using testing::HasSubstr;

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
  EXPECT_ERROR(rates_of_hosts(facts), Error, HasSubstr("b cannot be measured"), HasSubstr("no route to host"),
               HasSubstr("--link"));
  Facts blocked;
  blocked.start = StartResult::kBlocked;
  blocked.start_message = "ports are closed";
  EXPECT_ERROR(rates_of_hosts(blocked), Error, HasSubstr("ports are closed"), HasSubstr("verbund doctor"));
}

}  // namespace
}  // namespace verbund
