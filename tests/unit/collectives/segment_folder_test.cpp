// SPDX-License-Identifier: Apache-2.0
#include "collectives/segment_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/temporary_folder.h"

namespace verbund {
namespace {

size_t entries_of(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(SegmentFolder, IsGoneAsSoonAsNamesAreNotNeeded) {
  const TemporaryFolder parent;
  {
    SegmentFolder folder(parent.path());
    ASSERT_TRUE(std::filesystem::is_directory(folder.path()));
    std::ofstream(folder.path() / "segment.1") << "memory";
    folder.unname();
    EXPECT_EQ(entries_of(parent.path()), 0u);
    folder.restore_names();
    EXPECT_EQ(std::filesystem::file_size(folder.path() / "segment.1"), 0u) << "for MPI to remove";
    remove_dead_segment_folders(parent.path());
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "segment.1"));
  }
  EXPECT_EQ(entries_of(parent.path()), 0u);
}

TEST(SegmentFolder, OfADeadProcessIsRemovedAndOfALivingOneKept) {
  const TemporaryFolder parent;
  const SegmentFolder own(parent.path());
  const pid_t killed = ::fork();
  if (killed == 0) {
    const SegmentFolder left(parent.path());
    std::ofstream(left.path() / "segment.1") << "memory";
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(killed, nullptr, 0);
  ASSERT_EQ(entries_of(parent.path()), 2u);
  parent.write("verbund-segments-file", "not ours");
  remove_dead_segment_folders(parent.path());
  EXPECT_EQ(entries_of(parent.path()), 2u);
  EXPECT_TRUE(std::filesystem::exists(own.path()));
}

TEST(SegmentFolder, IsDoneWithoutWhereItCannotBeMade) {
  SegmentFolder folder("/no/such/folder");
  EXPECT_TRUE(folder.path().empty());
  folder.unname();
  folder.restore_names();
  remove_dead_segment_folders("/no/such/folder");
}

}  // namespace
}  // namespace verbund
