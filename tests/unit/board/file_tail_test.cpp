// SPDX-License-Identifier: Apache-2.0
#include "board/file_tail.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

// Lines as a reader has them after each look.
class TailedLines {
 public:
  explicit TailedLines(const fs::path& path) : tail_(path) {}

  bool look() {
    return tail_.read([&] { text_.clear(), ++begun_; }, whole_lines([&](std::string_view lines) { text_ += lines; }));
  }
  const std::string& text() const { return text_; }
  int begun() const { return begun_; }

 private:
  FileTail tail_;
  std::string text_;
  int begun_ = 0;
};

void append(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

TEST(FileTail, ReadsWhatIsAppendedAndWaitsForTheEndOfALine) {
  const TemporaryFolder folder;
  TailedLines lines(folder / "a");
  EXPECT_FALSE(lines.look());  // there is no file yet
  append(folder / "a", "one\ntw");
  EXPECT_TRUE(lines.look());
  EXPECT_EQ(lines.text(), "one\n");
  EXPECT_FALSE(lines.look());
  append(folder / "a", "o");
  EXPECT_FALSE(lines.look());
  append(folder / "a", "\nthree\n");
  EXPECT_TRUE(lines.look());
  EXPECT_EQ(lines.text(), "one\ntwo\nthree\n");
  EXPECT_EQ(lines.begun(), 0);
}

TEST(FileTail, BeginsAnewWhenTheFileIsTruncatedReplacedOrWrittenOver) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("a", "one\ntwo\n");
  TailedLines lines(path);
  lines.look();
  folder.write("a", "o\n");  // truncated, in place
  EXPECT_TRUE(lines.look());
  EXPECT_EQ(lines.text(), "o\n");
  EXPECT_EQ(lines.begun(), 1);

  folder.write("b", "o\nother\n");  // longer, the same beginning, but another file
  fs::rename(folder / "b", path);
  EXPECT_TRUE(lines.look());
  EXPECT_EQ(lines.text(), "o\nother\n");
  EXPECT_EQ(lines.begun(), 2);

  folder.write("a", "x\nlonger than it was\n");  // truncated and grown beyond its old size between two looks
  EXPECT_TRUE(lines.look());
  EXPECT_EQ(lines.text(), "x\nlonger than it was\n");
  EXPECT_EQ(lines.begun(), 3);

  fs::remove(path);
  EXPECT_TRUE(lines.look());
  EXPECT_EQ(lines.text(), "");
  EXPECT_FALSE(lines.look());
}

TEST(FileTail, ReadsLongFilesInBlocksAndLinesThatAreLongerThanABlock) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += std::to_string(i) + "\n";
  text += std::string(3 << 20, 'x') + "\nend\n";
  TailedLines lines(folder.write("a", text));
  EXPECT_TRUE(lines.look());
  EXPECT_EQ(lines.text(), text);
}

TEST(FileTail, OpensNeitherLinksNorPipes) {
  const TemporaryFolder folder;
  folder.write("secret", "secret\n");
  fs::create_symlink(folder / "secret", folder / "link");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "pipe"}) {
    TailedLines lines(folder / name);
    EXPECT_FALSE(lines.look()) << name;
    EXPECT_EQ(lines.text(), "") << name;
  }
}

}  // namespace
}  // namespace verbund
