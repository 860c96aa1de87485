// SPDX-License-Identifier: Apache-2.0
#include "core/wall_clock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

TEST(WallClock, IsUtc) {
  EXPECT_EQ(utc_time(std::chrono::system_clock::from_time_t(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_time(std::chrono::system_clock::from_time_t(1770091506)), "2026-02-03T04:05:06Z");
}

TEST(WallClock, OfAFile) {
  TemporaryFolder folder;
  EXPECT_EQ(time_of_file(folder / "none"), "");
  write_file(folder / "some", "x");
  const timespec times[] = {{1770091506, 0}, {1770091506, 0}};  // of reading and of writing
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder / "some").c_str(), times, 0), 0);
  EXPECT_EQ(time_of_file(folder / "some"), "2026-02-03T04:05:06Z");
}

TEST(WallClock, ReadsWhatItWrites) {
  EXPECT_EQ(parse_utc_time("1970-01-01T00:16:40Z"), 1000);
  EXPECT_DOUBLE_EQ(parse_utc_time("2026-02-03T04:05:06.25Z"), 1770091506.25);
  for (const char* text : {"", "yesterday", "2026-02-03 04:05:06Z", "2026-02-03T04:05:06", "2026-02-03T04:05:06xZ"}) {
    EXPECT_TRUE(std::isnan(parse_utc_time(text))) << text;
  }
}

}  // namespace
}  // namespace verbund
