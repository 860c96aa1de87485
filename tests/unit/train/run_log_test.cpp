// SPDX-License-Identifier: Apache-2.0
#include "train/run_log.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/file.h"
#include "core/log.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::MatchesRegex;

constexpr const char* kTime = "[0-9-]{10}T[0-9:]{8}Z";

TEST(RunLog, SaysWhen) {
  TemporaryFolder folder;
  {
    RunLog log(folder.path());
    log.note("one\n  two");
  }
  EXPECT_THAT(read_file(folder / "log.txt"), MatchesRegex(fmt::format("{0}  one\n{0}    two\n", kTime)));
}

// A sample of a corpus, or the name of a host, may have any character.
TEST(RunLog, ControlCharactersReachNeitherTheLogNorTheTerminal) {
  TemporaryFolder folder;
  testing::internal::CaptureStderr();
  {
    RunLog log(folder.path());
    log.line("  source  a\033[2Jb\u009Bc");
    log.paragraph("run: on host\033]0;x\a");
    warn("lost host\033[31m");
  }
  const std::string shown = testing::internal::GetCapturedStderr(), kept = read_file(folder / "log.txt");
  EXPECT_EQ(shown, "  source  a?[2Jb?c\nrun: on host?]0;x?\nwarning: lost host?[31m\n");
  EXPECT_THAT(kept, MatchesRegex(fmt::format("{0}    source  a.\\[2Jb.c\n{0}  run: on host.\\]0;x.\n", kTime)));
  EXPECT_EQ(kept.find_first_of("\033\a\x9B"), std::string::npos);
}

// The terminal that a run writes to, until the end of a test.
class AtTerminal {
 public:
  explicit AtTerminal(StatusLine status_line) { set_terminal({status_line, false}); }
  ~AtTerminal() { set_terminal({}); }
  AtTerminal(const AtTerminal&) = delete;
  AtTerminal& operator=(const AtTerminal&) = delete;
};

std::string printed_paragraph(StatusLine status_line) {
  const TemporaryFolder folder;
  const AtTerminal terminal(status_line);
  std::string text = "a";
  for (int i = 0; i < 100; ++i) text += " word";
  ::testing::internal::CaptureStderr();
  RunLog(folder.path()).paragraph(text);
  return ::testing::internal::GetCapturedStderr();
}

TEST(RunLog, AParagraphIsWrappedOnce) {
  const auto rows = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(rows(printed_paragraph(StatusLine::kMarked)), 1) << "launch wraps it, at the width of its terminal";
  EXPECT_EQ(rows(printed_paragraph(StatusLine::kNone)), 6) << "100 columns in a file";
  EXPECT_EQ(rows(printed_paragraph(StatusLine::kDrawn)), 7) << "80 columns where the width is unknown";
}

}  // namespace
}  // namespace verbund
