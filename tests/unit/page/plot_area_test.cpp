// SPDX-License-Identifier: Apache-2.0
#include "page/plot_area.h"

#include <gmock/gmock.h>

#include <cmath>

#include "page/number_format.h"

namespace verbund {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Ticks, AreRoundNumbersWithinTheAxis) {
  EXPECT_THAT(linear_ticks(0, 1000, 5), ElementsAre(0, 200, 400, 600, 800, 1000));
  EXPECT_THAT(linear_ticks(3.2, 9.9, 4), ElementsAre(4, 6, 8));
  EXPECT_THAT(linear_ticks(-1, 1, 4), ElementsAre(-1, -0.5, 0, 0.5, 1));
}

TEST(Ticks, OfWhatIsNoRangeAreNone) {
  EXPECT_THAT(linear_ticks(1, 1, 5), IsEmpty());
  EXPECT_THAT(linear_ticks(NAN, 1, 5), IsEmpty());
  EXPECT_THAT(linear_ticks(0, INFINITY, 5), IsEmpty());
  EXPECT_THAT(log_ticks(0, 1, 5), IsEmpty());
}

TEST(Ticks, OfALogAxisArePowersOfTen) {
  EXPECT_THAT(log_ticks(1, 1e4, 6), ElementsAre(1, 10, 100, 1000, DoubleEq(1e4)));
  EXPECT_THAT(log_ticks(1, 50, 6), ElementsAre(1, 2, 5, 10, 20, 50));
  EXPECT_THAT(log_ticks(2, 8, 3), ElementsAre(2, 4, 6, 8));
  EXPECT_LE(log_ticks(1e-30, 1e30, 6).size(), 7u);
}

// Nobody trains with 1.2 workers.
TEST(Ticks, OfWholeNumbersAreWhole) {
  for (const double last : {2.0, 3.0, 4.0, 8.0, 64.0}) {
    Chart chart;
    chart.series.push_back({"", {1, last}, {5, 7}});
    for (const double tick : plot_area(chart).x.ticks(7)) EXPECT_EQ(tick, std::round(tick)) << last;
    EXPECT_GE(plot_area(chart).x.ticks(7).size(), 2U) << last;
  }
  Chart hours;
  hours.series.push_back({"", {0.5, 2}, {5, 7}});
  EXPECT_EQ(plot_area(hours).x.ticks(7).size(), 4U) << "0.5, 1, 1.5, 2";
}

TEST(TickLabels, HaveTheDecimalsThatTellThemApart) {
  EXPECT_THAT(tick_labels({0, 0.5, 1}), ElementsAre("0.0", "0.5", "1.0"));
  EXPECT_THAT(tick_labels({0, 5000, 10000}), ElementsAre("0", "5,000", "10,000"));
  EXPECT_THAT(tick_labels({0.01, 0.1, 1, 10}), ElementsAre("0.01", "0.1", "1", "10"));
  EXPECT_THAT(tick_labels({-0.5, 0, 0.5}), ElementsAre("-0.5", "0.0", "0.5"));
  EXPECT_THAT(tick_labels({0, 0.0002, 0.0004}), ElementsAre("0.0000", "0.0002", "0.0004"));
  EXPECT_THAT(tick_labels({0, 2e7, 4e7}), ElementsAre("0", "2e+07", "4e+07"));
}

TEST(HumanNumber, HasFourDigitsThatCount) {
  EXPECT_EQ(human_number(0), "0");
  EXPECT_EQ(human_number(12000), "12,000");
  EXPECT_EQ(human_number(0.123456), "0.1235");
  EXPECT_EQ(human_number(27.318), "27.32");
  EXPECT_EQ(human_number(1.99999), "2");
  EXPECT_EQ(human_number(12345.6), "12,350");
  EXPECT_EQ(human_number(230454), "230,500");
  EXPECT_EQ(human_number(1193205), "1.193\u00a0million");
  EXPECT_EQ(human_number(-999999), "-1\u00a0million");
  EXPECT_EQ(human_number(4.5e9), "4.5\u00a0billion");
  EXPECT_EQ(counted(1193205), "1,193,205");
  EXPECT_EQ(counted(NAN), "unknown");
  EXPECT_EQ(human_number(9.882e-4), "0.000988");
  EXPECT_EQ(human_number(-3.25), "-3.25");
  EXPECT_EQ(human_number(NAN), "unknown");
}

}  // namespace
}  // namespace verbund
