// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/hash.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

TEST(AtomicFile, HasItsNameOnlyAfterCommit) {
  TemporaryFolder folder;
  {
    AtomicFile file(folder / "a");
    file.write("hello");
    EXPECT_FALSE(fs::exists(folder / "a"));
    file.commit();
  }
  EXPECT_EQ(slurp(folder / "a"), "hello");
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  folder.write("a", "old");
  { AtomicFile(folder / "a").write("new"); }
  EXPECT_EQ(slurp(folder / "a"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFile, LargeWrites) {
  TemporaryFolder folder;
  const std::string large(3 << 20, 'x');
  AtomicFile file(folder / "a");
  file.write("head");
  file.write(large);
  file.commit();
  EXPECT_EQ(file.size(), large.size() + 4);
  EXPECT_EQ(slurp(folder / "a"), "head" + large);
}

TEST(AtomicFile, SaysWhyItCannot) {
  EXPECT_ERROR(AtomicFile("/nowhere/file"), SystemError, HasSubstr("/nowhere/file"), HasSubstr(std::strerror(ENOENT)));
}

TEST(MappedFile, ReadsAndMoves) {
  TemporaryFolder folder;
  MappedFile file(folder.write("a", "content"));
  const MappedFile moved = std::move(file);
  EXPECT_EQ(moved.bytes(), "content");
  EXPECT_EQ(MappedFile(folder.write("empty", "")).bytes(), "");
  EXPECT_ERROR(MappedFile(folder / "none"), Error, HasSubstr("none"));
}

TEST(File, PartialFilesOfACrashAreRemoved) {
  TemporaryFolder folder;
  folder.write("a.partial", "half");
  folder.write("b", "whole");
  remove_partial_files(folder.path());
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
  EXPECT_TRUE(fs::exists(folder / "b"));
}

TEST(PartialFolder, IsThereAsAWholeOrNotAtAll) {
  const TemporaryFolder folder;
  {
    const PartialFolder partial(folder / "a");
    write_file(partial.path() / "file", "text");
    EXPECT_FALSE(fs::exists(folder / "a"));
  }
  EXPECT_TRUE(fs::is_empty(folder / ""));
  {
    const PartialFolder partial(folder / "a");
    EXPECT_TRUE(fs::is_empty(partial.path()));
    write_file(partial.path() / "file", "text");
    partial.publish();
  }
  EXPECT_EQ(read_file(folder / "a/file"), "text");
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
}

TEST(PartialFolder, LeavesWhatItDidNotMake) {
  const TemporaryFolder folder;
  make_folder(folder / "a.partial");
  write_file(folder / "a.partial/mine", "text");
  EXPECT_ERROR(PartialFolder(folder / "a"), Error, HasSubstr("a.partial"));
  EXPECT_EQ(read_file(folder / "a.partial/mine"), "text");
  folder.write("b.partial", "a file");
  EXPECT_ERROR(PartialFolder(folder / "b"), Error, HasSubstr("b.partial"));
  EXPECT_EQ(read_file(folder / "b.partial"), "a file");
}

// What a killed command has left: a marker, and whatever it had written. At the very first it left an empty folder.
TEST(PartialFolder, TakesOverWhatAKilledCommandLeft) {
  const TemporaryFolder folder;
  for (const bool empty : {false, true}) {
    make_folder(folder / "a.partial");
    if (!empty) {
      make_folder(PartialFolder::content_of(folder / "a") / "deep");
      write_file(PartialFolder::content_of(folder / "a") / "deep" / "old", "old");
      write_file(folder / "a.partial" / kPartialMarker, "");
    }
    EXPECT_TRUE(PartialFolder::may_write(folder / "a"));
    {
      const PartialFolder partial(folder / "a");
      EXPECT_TRUE(fs::is_empty(partial.path()));
      write_file(partial.path() / "file", "new");
      partial.publish();
    }
    EXPECT_EQ(read_file(folder / "a/file"), "new");
    EXPECT_EQ(list_folder(folder / "a").size(), 1u) << "no marker";
    EXPECT_EQ(list_folder(folder.path()).size(), 1u);
    remove_path(folder / "a");
  }
}

TEST(PartialFolder, ACommandAtWorkIsNotDisturbed) {
  const TemporaryFolder folder;
  const PartialFolder first(folder / "a");
  write_file(first.path() / "file", "text");
  EXPECT_ERROR(PartialFolder(folder / "a"), Error, HasSubstr("a.partial"));
  EXPECT_EQ(read_file(first.path() / "file"), "text");
  first.publish();
  EXPECT_EQ(read_file(folder / "a/file"), "text");
}

TEST(PartialFolder, ALinkIsNotTakenOver) {
  const TemporaryFolder folder;
  make_folder(folder / "mine");
  write_file(folder / "mine" / kPartialMarker, "");
  fs::create_directory_symlink("mine", folder / "a.partial");
  EXPECT_FALSE(PartialFolder::may_write(folder / "a"));
  EXPECT_ERROR(PartialFolder(folder / "a"), Error, HasSubstr("a.partial"));
  EXPECT_TRUE(fs::exists(folder / "mine" / kPartialMarker));
}

TEST(PartialFolder, ATakenNameIsAnError) {
  const TemporaryFolder folder;
  make_folder(folder / "a");
  write_file(folder / "a/mine", "text");
  EXPECT_ERROR(PartialFolder(folder / "a").publish(), SystemError, HasSubstr((folder / "a").string()));
  EXPECT_EQ(read_file(folder / "a/mine"), "text");
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
}

TEST(File, AFolderIsExpected) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "");
  expect_folder(folder.path(), "a run");
  EXPECT_ERROR(expect_folder(folder / "none", "a run"), Error, HasSubstr((folder / "none").string()));
  EXPECT_ERROR(expect_folder(file, "a run"), Error, HasSubstr(file.string()), HasSubstr("a run"));
}

TEST(Checksum, PiecesMakeTheSameAsTheWhole) {
  TemporaryFolder folder;
  Checksum checksum;
  checksum.add("ab");
  checksum.add("c");
  EXPECT_EQ(checksum.digest(), checksum_of("abc"));
  EXPECT_EQ(checksum.digest(), file_checksum(folder.write("a", "abc")));
  EXPECT_NE(checksum.digest(), checksum_of("abd"));
}

}  // namespace
}  // namespace verbund
