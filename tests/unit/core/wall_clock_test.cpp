#include "core/wall_clock.h"

#include <gmock/gmock.h>

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
  const std::string before = utc_time();
  write_file(folder / "some", "x");
  EXPECT_GE(time_of_file(folder / "some"), before);
  EXPECT_LE(time_of_file(folder / "some"), utc_time());
}

}  // namespace
}  // namespace verbund
