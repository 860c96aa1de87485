// SPDX-License-Identifier: Apache-2.0
#include "train/run_log.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/file.h"
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
