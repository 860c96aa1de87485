// SPDX-License-Identifier: Apache-2.0
#include "train/run_log.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace verbund
