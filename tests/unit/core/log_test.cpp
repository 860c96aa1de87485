// SPDX-License-Identifier: Apache-2.0
#include "core/log.h"

#include <gmock/gmock.h>

#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LogTest : public ::testing::Test {
 protected:
  void TearDown() override { set_log_level(LogLevel::kInfo); }

  static std::string shown_at(LogLevel level) {
    set_log_level(level);
    ::testing::internal::CaptureStderr();
    debug("bucket {} of {}", 1, 3);
    log("step {}", 20);
    warn("disk {}", "full");
    print_line("verbund: lost");
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(LogTest, EachLevelShowsItselfAndWhatIsMoreImportant) {
  EXPECT_EQ(shown_at(LogLevel::kDebug), "debug: bucket 1 of 3\nstep 20\nwarning: disk full\nverbund: lost\n");
  EXPECT_EQ(shown_at(LogLevel::kInfo), "step 20\nwarning: disk full\nverbund: lost\n");
  EXPECT_EQ(shown_at(LogLevel::kWarning), "warning: disk full\nverbund: lost\n");
  EXPECT_EQ(shown_at(LogLevel::kError), "verbund: lost\n");
}

TEST_F(LogTest, ProgressIsShownFromInfoOn) {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    set_log_level(level);
    EXPECT_EQ(shows_progress(), level <= LogLevel::kInfo);
  }
}

TEST_F(LogTest, LevelsHaveNames) {
  EXPECT_EQ(log_level_named("debug", "here"), LogLevel::kDebug);
  EXPECT_EQ(log_level_named("info", "here"), LogLevel::kInfo);
  EXPECT_EQ(log_level_named("warning", "here"), LogLevel::kWarning);
  EXPECT_EQ(log_level_named("error", "here"), LogLevel::kError);
  for (const char* name : {"", "Debug", "warn", "2"}) {
    EXPECT_ERROR(log_level_named(name, kLogLevelVariable), UsageError, HasSubstr(kLogLevelVariable), HasSubstr(name),
                 AllOf(HasSubstr("debug"), HasSubstr("info"), HasSubstr("warning"), HasSubstr("error")));
  }
}

TEST_F(LogTest, DebugLinesAreCopiedOnlyAtTheirLevel) {
  std::vector<std::string> copied;
  {
    const DebugCopy copy([&](const std::string& line) { copied.push_back(line); });
    for (const LogLevel level : {LogLevel::kInfo, LogLevel::kDebug}) shown_at(level);
    EXPECT_THAT(copied, ElementsAre("debug: bucket 1 of 3"));
  }
  shown_at(LogLevel::kDebug);
  EXPECT_EQ(copied.size(), 1u);
}

}  // namespace
}  // namespace verbund
