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

}  // namespace
}  // namespace verbund
