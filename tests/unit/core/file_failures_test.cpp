// SPDX-License-Identifier: Apache-2.0
// The writers at the bottom of all others, through every failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/append_file.h"
#include "core/checksummed_file.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/output.h"
#include "support/failure_walk.h"

namespace verbund {
namespace {

std::string much(char letter) { return std::string((1 << 20) + 1, letter); }  // more than a buffer

TEST(FileFailures, AFileIsReplacedAsAWhole) {
  walk_failures({.prepare = [](const fs::path& folder) { write_file(folder / "a", "before"); },
                 .work = [](const fs::path& folder) { write_file(folder / "a", much('a')); }},
                25);
}

TEST(FileFailures, AFileWrittenInPieces) {
  walk_failures({.work =
                     [](const fs::path& folder) {
                       ChecksummedFile file(folder / "a");
                       for (const char letter : {'a', 'b', 'c'}) file.write(much(letter) + letter);
                       file.commit();
                     }},
                35);
}

TEST(FileFailures, AnOutputFileThatALinkLeadsTo) {
  walk_failures({.prepare = [](const fs::path& folder) { fs::create_symlink("there", folder / "here"); },
                 .work =
                     [](const fs::path& folder) {
                       OutputFile file(folder / "here");
                       file.write("text");
                       file.commit();
                     }},
                25);
}

TEST(FileFailures, FoldersAndPartialFiles) {
  walk_failures({.prepare = [](const fs::path& folder) { fs::create_directory(folder / "a"); },
                 .work =
                     [](const fs::path& folder) {
                       make_folder(folder / "a/b/c");
                       remove_partial_files(folder / "a");
                       write_file(folder / "a/b/c/file", "text");
                     },
                 .check = [](const fs::path& folder, Failure) { EXPECT_TRUE(fs::is_directory(folder / "a")); }},
                25);
}

TEST(FileFailures, APartialFolder) {
  walk_failures({.prepare =
                     [](const fs::path& folder) {  // what a killed call has left
                       fs::create_directories(folder / "a.partial/deep");
                       write_file(folder / "a.partial/deep/old", "old");
                       write_file(folder / "a.partial" / kPartialMarker, "");
                     },
                 .work =
                     [](const fs::path& folder) {
                       if (fs::exists(folder / "a")) return remove_path(folder / "a.partial");  // after it, a kill
                       const PartialFolder partial(folder / "a");
                       for (const char* name : {"1", "2"}) write_file(partial.path() / name, name);
                       partial.publish();
                     },
                 .check =
                     [](const fs::path& folder, Failure) {
                       if (!fs::exists(folder / "a")) return;
                       EXPECT_EQ(slurp(folder / "a/1") + slurp(folder / "a/2"), "12");
                       EXPECT_FALSE(fs::exists(folder / "a/deep"));
                     }},
                90);
}

TEST(FileFailures, RemovingAFolderIsTakenUpAgain) {
  walk_failures({.prepare =
                     [](const fs::path& folder) {
                       fs::create_directories(folder / "a/b");
                       write_file(folder / "a/b/file", "text");
                       fs::create_symlink("b", folder / "a/link");
                     },
                 .work = [](const fs::path& folder) { remove_path(folder / "a"); },
                 .check = [](const fs::path&, Failure) {}},
                12);
}

// A line that could not be written is lost, the others stay whole; a file that was cut by a kill is gone on with.
TEST(FileFailures, ALogKeepsItsLinesWhole) {
  const auto log = [](const fs::path& folder) {
    AppendFile file(folder / "log");
    for (const char* line : {"second line", "third line", "fourth line"}) file.add_line(line);
  };
  const std::set<std::string> lines = {"first line", "second line", "third line", "fourth line", "last line"};
  int failures = 0;
  for (const Failure failure : kFailures) {
    for (int at = 1; at <= 6; ++at) {
      SCOPED_TRACE(fmt::format("call {}: {}", at, name_of(failure)));
      const TemporaryFolder folder;
      folder.write("log", "first line\n");
      FailingFileSystem failing(at, failure);
      try {
        const FileSystemInPlace in_place(failing);
        log(folder.path());
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr((folder / "log").string()));
      }
      failures += failing.struck();
      EXPECT_TRUE(AppendFile(folder / "log").add_line("last line"));
      std::istringstream text(slurp(folder / "log"));
      std::string line, found;
      int whole = 0;
      for (; std::getline(text, line); found = line) whole += lines.contains(line);
      EXPECT_EQ(found, "last line");
      EXPECT_GE(whole, failure == Failure::kShortWrite ? 5 : 2);
    }
  }
  EXPECT_GE(failures, 20);
  std::printf("walked %d failures\n", failures);
}

// What is read is whole, or an error that names the file.
TEST(FileFailures, Reading) {
  const auto read = [](const fs::path& folder) {
    EXPECT_EQ(file_checksum(folder / "a"), checksum_of(much('a')));
    EXPECT_EQ(read_file(folder / "a"), much('a'));
    EXPECT_EQ(list_folder(folder).size(), 1u);
  };
  walk_failures({.prepare = [](const fs::path& folder) { write_file(folder / "a", much('a')); }, .work = read}, 20);
}

}  // namespace
}  // namespace verbund
