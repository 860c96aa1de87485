#include "core/loss_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/log.h"
#include "core/status.h"

namespace verbund {
namespace {

TEST(LossRecordTest, ComesBackAsItWas) {
  EXPECT_EQ(marked_record({1}), "\x1d{\"event\":\"lost_worker\",\"worker\":1}") << "the format of docs/launch.md";
  for (const int worker : {-1, 0, 1, 1000}) {
    EXPECT_EQ(parse_marked_record(marked_record({worker})), LossRecord{worker});
    EXPECT_FALSE(parse_marked_status(marked_record({worker})));
  }
}

TEST(LossRecordTest, OtherLinesAreNone) {
  for (const char* line :
       {"", "verbund: lost worker 1 on b: it ended without a word", "{\"event\":\"lost_worker\",\"worker\":1}", "\x1d",
        "\x1d{", "\x1d[1]", "\x1d{\"event\":\"lost_worker\"}", "\x1d{\"event\":\"lost_worker\",\"worker\":\"1\"}",
        "\x1d{\"event\":\"stall\",\"worker\":1}", "\x1e{\"event\":\"lost_worker\",\"worker\":1}"}) {
    EXPECT_FALSE(parse_marked_record(line)) << line;
  }
}

TEST(LossRecordTest, IsWrittenWhereLaunchReadsAndNowhereElse) {
  const Terminal before = terminal();
  for (const bool reads : {true, false}) {
    set_terminal({StatusLine::kNone, false, reads});
    testing::internal::CaptureStderr();
    tell_launch({2});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), reads ? marked_record({2}) + "\n" : "");
  }
  set_terminal(before);
}

}  // namespace
}  // namespace verbund
