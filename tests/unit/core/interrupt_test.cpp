// SPDX-License-Identifier: Apache-2.0
#include "core/interrupt.h"

#include <gmock/gmock.h>

#include <csignal>

#include "core/error.h"

namespace verbund {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(Interrupt, ASecondSignalEndsAtOnceButNotASecondHangUp) {
  EXPECT_FALSE(is_forced_stop(0, SIGTERM));
  EXPECT_FALSE(is_forced_stop(0, SIGHUP));
  EXPECT_TRUE(is_forced_stop(SIGINT, SIGINT));
  EXPECT_TRUE(is_forced_stop(SIGHUP, SIGTERM));
  EXPECT_FALSE(is_forced_stop(SIGHUP, SIGHUP));
  EXPECT_FALSE(is_forced_stop(SIGTERM, SIGHUP));
}

TEST(Interrupt, WhatIsPassedOnKeepsItsMeaning) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    EXPECT_NE(passed_on_as(signal), signal);
    EXPECT_EQ(meaning_of(passed_on_as(signal)), signal);
    EXPECT_EQ(meaning_of(signal), signal);
    EXPECT_THAT(stop_signal_numbers(), Contains(passed_on_as(signal)));
  }
  EXPECT_EQ(meaning_of(0), 0);
  EXPECT_EQ(meaning_of(SIGKILL), SIGKILL);
}

TEST(Interrupt, AHangUpThatIsIgnoredAtTheStartStaysIgnored) {
  const auto before = std::signal(SIGHUP, SIG_DFL);  // under nohup it is ignored
  EXPECT_THAT(stop_signal_numbers(), Contains(SIGHUP));
  std::signal(SIGHUP, SIG_IGN);
  EXPECT_THAT(stop_signal_numbers(), Not(Contains(SIGHUP)));
  std::signal(SIGHUP, before);
}

TEST(Interrupt, IsToldOnce) {
  EXPECT_THAT(Interrupted(SIGINT).what(), ::testing::HasSubstr(signal_name(SIGINT)));
  EXPECT_EQ(Interrupted(SIGHUP).exit_code(), 129);
  EXPECT_STREQ(Interrupted::in_silence(SIGTERM).what(), "");
  EXPECT_EQ(Interrupted::in_silence(SIGTERM).exit_code(), 143);
}

}  // namespace
}  // namespace verbund
