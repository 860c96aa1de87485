// SPDX-License-Identifier: Apache-2.0
#include "plan/quantities.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace verbund {
namespace {

using testing::HasSubstr;

TEST(Quantities, RatesOfLinks) {
  EXPECT_DOUBLE_EQ(parse_link("1gbit"), 0.95 * 125e6);  // what headers leave of it
  EXPECT_DOUBLE_EQ(parse_link("1 Gbit/s"), 0.95 * 125e6);
  EXPECT_DOUBLE_EQ(parse_link("200mbit"), 0.95 * 25e6);
  EXPECT_DOUBLE_EQ(parse_link("118MB/s"), 118e6);  // as it is
}

TEST(Quantities, TimesAndPrices) {
  EXPECT_DOUBLE_EQ(parse_latency("0.2ms"), 2e-4);
  EXPECT_DOUBLE_EQ(parse_latency("150us"), 1.5e-4);
  EXPECT_DOUBLE_EQ(parse_price("3.06/h"), 3.06);
  EXPECT_DOUBLE_EQ(parse_price("3.06"), 3.06);
}

TEST(Quantities, WhatCannotBeReadIsRefusedWithAnExample) {
  EXPECT_ERROR(parse_link("fast"), UsageError, HasSubstr("--link fast"), HasSubstr("1gbit"));
  EXPECT_ERROR(parse_link("1"), UsageError, HasSubstr("--link 1 "), HasSubstr("1gbit"));
  EXPECT_ERROR(parse_link("-1gbit"), UsageError, HasSubstr("--link -1gbit"));
  EXPECT_ERROR(parse_latency("2 weeks"), UsageError, HasSubstr("--latency 2 weeks"), HasSubstr("0.2ms"));
  EXPECT_ERROR(parse_price("$3"), UsageError, HasSubstr("--price $3"), HasSubstr("3.06/h"));
}

TEST(Quantities, HaveARange) {
  for (const char* text : {"infgbit", "1e300gbit", "1e-300kbit", "0.5kbit", "2000000gbit", "1e12MB/s"}) {
    EXPECT_ERROR(parse_link(text), UsageError, HasSubstr(std::string("--link ") + text));
  }
  EXPECT_ERROR(parse_link("nangbit"), UsageError, HasSubstr("--link nangbit"));
  for (const char* text : {"1e300s", "infs", "61s", "1e-9us"}) {
    EXPECT_ERROR(parse_latency(text), UsageError, HasSubstr(std::string("--latency ") + text));
  }
  for (const char* text : {"inf", "1e300/h", "1e-300"}) {
    EXPECT_ERROR(parse_price(text), UsageError, HasSubstr(std::string("--price ") + text));
  }
  EXPECT_DOUBLE_EQ(parse_latency("60s"), 60);  // the ends belong to it
  EXPECT_DOUBLE_EQ(parse_link("1kbit"), 0.95 * 125);
  EXPECT_DOUBLE_EQ(parse_price("1000000"), 1e6);
}

}  // namespace
}  // namespace verbund
