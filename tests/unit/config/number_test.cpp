// SPDX-License-Identifier: Apache-2.0
#include "config/number.h"

#include <gmock/gmock.h>

#include "config/config.h"
#include "config/load.h"
#include "config/show.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

int64_t whole(const std::string& text) {
  int64_t number = -1;
  EXPECT_EQ(parse_whole(text, number), WholeNumber::kRead) << text;
  return number;
}

WholeNumber refusal(const std::string& text) {
  int64_t number = 0;
  return parse_whole(text, number);
}

TEST(Number, WholeNumbersAsPeopleWriteThem) {
  EXPECT_EQ(whole("25000"), 25000);
  EXPECT_EQ(whole("25k"), 25000);
  EXPECT_EQ(whole("25K"), 25000);
  EXPECT_EQ(whole("1.5k"), 1500);
  EXPECT_EQ(whole("2M"), 2000000);
  EXPECT_EQ(whole("1G"), 1000000000);
  EXPECT_EQ(whole("1e6"), 1000000);
  EXPECT_EQ(whole("1E+6"), 1000000);
  EXPECT_EQ(whole("2.50e1"), 25);
  EXPECT_EQ(whole("3.0"), 3);
  EXPECT_EQ(whole("100e-2"), 1);
  EXPECT_EQ(whole("-2k"), -2000);
  EXPECT_EQ(whole("0e999999999999999999999"), 0);
}

TEST(Number, WholeNumbersAreExactUpToTheLast) {
  EXPECT_EQ(whole("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(whole("9.223372036854775807e18"), INT64_MAX);
  EXPECT_EQ(whole("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(whole("9007199254740.993k"), 9007199254740993);  // a double has no such number
  EXPECT_EQ(refusal("9223372036854775808"), WholeNumber::kTooLarge);
  EXPECT_EQ(refusal("1e19"), WholeNumber::kTooLarge);
  EXPECT_EQ(refusal("1e999999999999999999999"), WholeNumber::kTooLarge);
  EXPECT_EQ(refusal("10000000000000G"), WholeNumber::kTooLarge);
}

TEST(Number, WhatIsNotWholeIsNotRounded) {
  for (const char* text : {"1e-3", "1.5", "1.2345k", "1e-99999999999999999999"}) {
    EXPECT_EQ(refusal(text), WholeNumber::kNotWhole) << text;
  }
}

TEST(Number, WhatIsNoNumber) {
  double number = 0;
  for (const char* text : {"", "k", ".", "-", "many", "1k5", "25 k", "1e", "1e+-2", "e6", "0x10", "1,000", "1..2",
                           "nan", "inf", "--1", "1m", "25kk"}) {
    EXPECT_EQ(refusal(text), WholeNumber::kNoNumber) << text;
    EXPECT_FALSE(parse_real(text, number)) << text;
  }
}

TEST(Number, RealNumbers) {
  const auto real = [](const char* text) {
    double number = 0;
    EXPECT_TRUE(parse_real(text, number)) << text;
    return number;
  };
  EXPECT_EQ(real("0.1"), 0.1);
  EXPECT_EQ(real("9.88e-4"), 9.88e-4);
  EXPECT_EQ(real("1.5k"), 1500.0);
  EXPECT_EQ(real("-.5"), -0.5);
  EXPECT_EQ(real("1e-3k"), 1.0);
  double number = 0;
  EXPECT_FALSE(parse_real("1e999", number));
}

TEST(StepWindow, HasBothEnds) {
  const StepWindow window = parse_step_window("1k-1020").value();
  EXPECT_EQ(window, (StepWindow{1000, 1020}));
  EXPECT_FALSE(window.contains(999));
  EXPECT_TRUE(window.contains(1000));
  EXPECT_TRUE(window.contains(1020));
  EXPECT_FALSE(window.contains(1021));
  EXPECT_EQ(to_text(window), "1000-1020");
  EXPECT_EQ(parse_step_window("7-7"), (StepWindow{7, 7}));
}

TEST(StepWindow, NoneIsEmpty) {
  EXPECT_TRUE(parse_step_window("").value().empty());
  EXPECT_FALSE(StepWindow().contains(0));
  EXPECT_EQ(to_text({}), "");
}

TEST(StepWindow, AnythingElseIsRefused) {
  for (const char* text : {"5", "-", "5-", "-5", "-5-7", "0-5", "9-8", "1-2-3", "a-b", "1.5-3", "1-10001", " 1-2",
                           "1-99999999999999999999"}) {
    EXPECT_FALSE(parse_step_window(text)) << text;
  }
  EXPECT_TRUE(parse_step_window("1-10000"));
}

TEST(StepWindow, IsAKeyOfTheConfiguration) {
  const Config config = load_config("", {"train.timeline=100-120"});
  EXPECT_EQ(config.train.timeline, (StepWindow{100, 120}));
  EXPECT_THAT(show(config), HasSubstr("timeline: 100-120\n"));
  EXPECT_THAT(show(Config()), HasSubstr("timeline: \"\"\n"));
  Config again;
  load(parse_yaml(show(config), "c.yaml"), again);
  EXPECT_EQ(again.train.timeline, config.train.timeline);
  EXPECT_ERROR(load_config("", {"train.timeline=120-100"}), UsageError, HasSubstr("train.timeline"),
               HasSubstr("120-100"));
  EXPECT_ERROR(load_config("", {"train.timeline=[1, 2]"}), UsageError, HasSubstr("train.timeline"));
}

}  // namespace
}  // namespace verbund
