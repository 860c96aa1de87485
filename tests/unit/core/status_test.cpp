// SPDX-License-Identifier: Apache-2.0
#include "core/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/columns.h"
#include "core/log.h"

namespace verbund {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const Status kHalf = {0.5, "evaluating 340 of 680 sentences, 40 s left"};

TEST(StatusLine, TheBarTakesWhatRoomIsLeft) {
  EXPECT_EQ(status_line(kHalf, 200), "[████████████············] " + kHalf.text);
  EXPECT_EQ(status_line(kHalf, 58), "[█████·····] " + kHalf.text) << "three columns stay free, for ^C";
  EXPECT_EQ(status_line(kHalf, 50), kHalf.text);
  EXPECT_EQ(status_line(kHalf, 13), "evaluating");
  EXPECT_EQ(status_line({-1, "reading"}, 80), "reading");
}

TEST(StatusLine, IsNeverWiderThanTheTerminal) {
  const Status wide = {1.0, "日本語 üöä " + kHalf.text};
  for (const Status& status : {kHalf, wide}) {
    for (size_t columns = 4; columns < 120; ++columns) {
      EXPECT_LE(display_width(status_line(status, columns)), columns - 3);
    }
  }
}

TEST(StatusLine, IsErasedFromATerminalThatHasBecomeNarrower) {
  EXPECT_EQ(erase_sequence(77, 80), "\r\033[K");
  EXPECT_EQ(erase_sequence(77, 77), "\r\033[K");
  EXPECT_EQ(erase_sequence(77, 40), "\r\033[1A\033[J");
  EXPECT_EQ(erase_sequence(77, 30), "\r\033[2A\033[J");
}

TEST(MarkedStatus, ComesBackAsItWas) {
  const std::string line = marked_status(kHalf);
  EXPECT_EQ(line.front(), kStatusMark);
  EXPECT_THAT(line, EndsWith(kHalf.text));
  const auto status = parse_marked_status(line);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->text, kHalf.text);
  EXPECT_EQ(status->share, kHalf.share);
  EXPECT_LT(parse_marked_status(marked_status({-1, "reading"}))->share, 0);
}

TEST(MarkedStatus, AnEmptyOneRemovesTheLine) {
  const auto status = parse_marked_status(marked_status({}));
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->empty());
}

TEST(MarkedStatus, OrdinaryLinesAreNone) {
  for (const char* line : {"", "step 1", "0.5 step", " \x1e"}) EXPECT_FALSE(parse_marked_status(line)) << line;
}

TEST(MarkedStatus, WhatIsBrokenIsNotShownAsText) {
  for (const char* line : {"\x1e", "\x1ex", "\x1e-", "\x1e 0.5 x", "\x1e 0.5"}) {
    const auto status = parse_marked_status(line);
    ASSERT_TRUE(status) << line;
    EXPECT_TRUE(status->empty()) << line;
  }
}

TEST(WorkerRecord, ComesBackAsItWas) {
  using enum WorkerEvent;
  EXPECT_EQ(marked_record({kLost, 1}), "\x1d{\"event\":\"lost_worker\",\"worker\":1}")
      << "the format of docs/launch.md";
  EXPECT_EQ(marked_record({kStarted, 0}), "\x1d{\"event\":\"started\",\"worker\":0}") << "the format of docs/launch.md";
  for (const WorkerEvent event : {kStarted, kLost}) {
    for (const int worker : {-1, 0, 1, 1000}) {
      EXPECT_EQ(parse_marked_record(marked_record({event, worker})), (WorkerRecord{event, worker}));
      EXPECT_FALSE(parse_marked_status(marked_record({event, worker})));
    }
  }
}

TEST(WorkerRecord, OtherLinesAreNone) {
  for (const char* line :
       {"", "verbund: lost worker 1 on b: it ended without a word", "{\"event\":\"lost_worker\",\"worker\":1}", "\x1d",
        "\x1d{", "\x1d[1]", "\x1d{\"event\":\"lost_worker\"}", "\x1d{\"event\":\"lost_worker\",\"worker\":\"1\"}",
        "\x1d{\"event\":\"stall\",\"worker\":1}", "\x1e{\"event\":\"lost_worker\",\"worker\":1}"}) {
    EXPECT_FALSE(parse_marked_record(line)) << line;
  }
}

TEST(WorkerRecord, IsWrittenWhereLaunchReadsAndNowhereElse) {
  const Terminal before = terminal();
  for (const bool reads : {true, false}) {
    set_terminal({StatusLine::kNone, false, reads});
    testing::internal::CaptureStderr();
    tell_launch({WorkerEvent::kLost, 2});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), reads ? marked_record({WorkerEvent::kLost, 2}) + "\n" : "");
  }
  set_terminal(before);
}

}  // namespace
}  // namespace verbund
