// SPDX-License-Identifier: Apache-2.0
// Archives are made by tar, xz and Python's zipfile: independent implementations of the formats.
#include "fetch/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/file.h"
#include "core/random.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

std::string random_text(size_t size) {
  Random random(7, 0);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + random.below(26));
  return text;
}

std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  }
  return names;
}

class Archive : public ::testing::Test {
 protected:
  void SetUp() override {
    make_folder(in_ / "training");
    write_file(in_ / "training/nc.de-en.en", english_);
    write_file(in_ / "training/nc.de-en.de", german_);
    write_file(in_ / "training/nc.fr-en.fr", "autre chose\n");
  }

  fs::path make(const std::string& name, const std::string& command) {
    run("cd " + in_.path().string() + " && " + command);
    return in_ / name;
  }

  void extract_both(const fs::path& archive) {
    extract(archive, {{"training/nc.de-en.en", out_ / "a/x.en"}, {"training/nc.de-en.de", out_ / "b/x.de"}});
  }

  void expect_both() {
    EXPECT_EQ(read_file(out_ / "a/x.en"), english_);
    EXPECT_EQ(read_file(out_ / "b/x.de"), german_);
    EXPECT_EQ(files_below(out_.path()).size(), 2);
  }

  const std::string english_ = random_text(1'500'000), german_ = "Guten Tag\n";
  TemporaryFolder in_, out_;
};

TEST_F(Archive, ExtractsWantedMembersOfATarGz) {
  extract_both(make("x.tgz", "tar czf x.tgz training"));
  expect_both();
}

TEST_F(Archive, ExtractsATarXz) {
  extract_both(make("x.tar.xz", "tar cJf x.tar.xz training"));
  expect_both();
}

TEST_F(Archive, ExtractsAPlainTar) {
  extract_both(make("x.tar", "tar cf x.tar training"));
  expect_both();
}

TEST_F(Archive, ExtractsAZip) {
  extract_both(make("x.zip", "python3 -m zipfile -c x.zip training"));
  expect_both();
}

TEST_F(Archive, TakesNamesWithALeadingDot) {
  extract_both(make("x.tgz", "tar czf x.tgz ./training"));
  expect_both();
}

TEST_F(Archive, TakesTheLastOfMembersWithOneName) {
  const fs::path tar = make("x.tar", "tar cf x.tar training");
  write_file(in_ / "training/nc.de-en.de", "later\n");
  make("x.tar", "tar rf x.tar training/nc.de-en.de");
  extract(tar, {{"training/nc.de-en.de", out_ / "x.de"}});
  EXPECT_EQ(read_file(out_ / "x.de"), "later\n");
}

TEST_F(Archive, NamesNearMembersWhenOneIsMissing) {
  const fs::path tar = make("x.tgz", "tar czf x.tgz training");
  EXPECT_THAT(
      [&] {
        extract(tar, {{"training/nc.de-en.nl", out_ / "x.nl"}});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("x.tgz"), HasSubstr("training/nc.de-en.nl"),
                                 HasSubstr("training/nc.de-en.en"), HasSubstr("training/nc.de-en.de"))));
  // In another folder, and of several members only one.
  EXPECT_THAT(
      [&] {
        extract(tar, {{"training/nc.de-en.de", out_ / "x.de"}, {"nc.fr-en.fr", out_ / "x.fr"}});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr(" nc.fr-en.fr"), HasSubstr("training/nc.fr-en.fr"))));
  EXPECT_THAT(files_below(out_.path()), IsEmpty());
}

TEST_F(Archive, RefusesALinkOrAFolder) {
  const fs::path tar = make("x.tgz", "ln -s nc.de-en.en training/link && tar czf x.tgz training");
  EXPECT_THAT([&] { extract(tar, {{"training/link", out_ / "x"}}); }, ThrowsMessage<Error>(HasSubstr("training/link")));
  EXPECT_THAT(files_below(out_.path()), IsEmpty());
}

// A truncated archive, or one with a wrong byte in the data or in the checksum after it, is an error and leaves no
// file.
TEST_F(Archive, LeavesNothingOfADamagedArchive) {
  for (const std::string name : {"x.tgz", "x.tar.xz", "x.zip"}) {
    const fs::path archive =
        make(name, name == "x.zip" ? "python3 -m zipfile -c x.zip training" : "tar caf " + name + " training");
    const std::string whole = read_file(archive);
    std::vector<std::string> damaged;
    for (const size_t cut : {whole.size() - 1, whole.size() - 7, whole.size() / 2, size_t{3}, size_t{0}}) {
      // A zip that lacks only the end of its list of members still has all of them whole.
      if (name != "x.zip" || cut <= whole.size() / 2) damaged.push_back(whole.substr(0, cut));
    }
    damaged.push_back(whole);
    damaged.back()[whole.size() / 2] ^= 1;
    if (name == "x.tgz") {
      damaged.push_back(whole);
      damaged.back()[whole.size() - 8] ^= 1;
    }
    for (const std::string& bytes : damaged) {
      write_file(archive, bytes);
      EXPECT_THAT([&] { extract_both(archive); }, ThrowsMessage<DamagedArchive>(HasSubstr(archive.string())))
          << name << ", " << bytes.size() << " of " << whole.size() << " bytes";
      EXPECT_THAT(files_below(out_.path()), IsEmpty());
    }
  }
}

// A tar with much padding, as for tapes: a reader that stops at its end has not read the checksum after it.
TEST_F(Archive, ReadsToTheChecksumAtTheVeryEnd) {
  const fs::path archive = make("x.tgz", "tar -b 8192 -czf x.tgz training");
  std::string bytes = read_file(archive);
  bytes[bytes.size() - 8] ^= 1;
  write_file(archive, bytes);
  EXPECT_THROW(extract_both(archive), DamagedArchive);
  EXPECT_THAT(files_below(out_.path()), IsEmpty());
}

TEST_F(Archive, RefusesWhatIsNoArchive) {
  write_file(in_ / "page.tgz", "<html>The page you want is elsewhere</html>");
  EXPECT_THAT([&] { extract_both(in_ / "page.tgz"); }, ThrowsMessage<DamagedArchive>(HasSubstr("page.tgz")));
  EXPECT_THAT([&] { extract_both(in_ / "missing.tgz"); }, ThrowsMessage<Error>(HasSubstr("missing.tgz")));
}

// libarchive would decompress these with a program that it finds in PATH.
TEST_F(Archive, StartsNoProgramThatAFileAsksFor) {
  const fs::path trace = in_ / "trace";
  make_folder(in_ / "bin");
  for (const char* program : {"lrzip", "lzop", "grzip"}) {
    write_file(in_ / "bin" / program, "#!/bin/sh\ntouch " + trace.string() + "\n");
    fs::permissions(in_ / "bin" / program, fs::perms::owner_all);
  }
  const std::string path = std::getenv("PATH");
  setenv("PATH", ((in_ / "bin").string() + ":" + path).c_str(), 1);
  using namespace std::string_literals;
  for (const std::string& magic : {"LRZI\0\6"s, "\x89LZO\0\r\n\x1a\n"s, "GRZipII\0\2\4:)"s}) {
    write_file(in_ / "x.tgz", magic + random_text(1000));
    EXPECT_THROW(extract_both(in_ / "x.tgz"), DamagedArchive);
    EXPECT_THROW(read_zip(in_ / "x.tgz"), DamagedArchive);
  }
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(fs::exists(trace));
}

TEST_F(Archive, AZipIsExpectedWhereNothingElseBelongs) {
  ASSERT_EQ(read_zip(make("x.zip", "python3 -m zipfile -c x.zip training")).size(), 3u);
  EXPECT_THROW(read_zip(make("x.tar", "tar cf x.tar training")), DamagedArchive);
  EXPECT_THROW(read_zip(make("x.tgz", "tar czf x.tgz training")), DamagedArchive);
}

// Formats that the corpora of others come in.
TEST_F(Archive, ExtractsATarOfEachKindOfCompression) {
  for (const std::string program : {"bzip2", "zstd", "lz4", "compress"}) {
    if (std::system(("command -v " + program + " > /dev/null").c_str()) != 0) continue;
    extract_both(make("x.tar.packed", "tar -I " + program + " -cf x.tar.packed training"));
    expect_both();
  }
}

// The answers of sha256sum and md5sum.
TEST(Digest, KnowsPublishedValues) {
  const TemporaryFolder folder;
  write_file(folder / "abc", "abc");
  EXPECT_EQ(file_digest(folder / "abc", Digest::kSha256),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(file_digest(folder / "abc", Digest::kMd5), "900150983cd24fb0d6963f7d28e17f72");
  write_file(folder / "empty", "");
  EXPECT_EQ(file_digest(folder / "empty", Digest::kMd5), "d41d8cd98f00b204e9800998ecf8427e");
}

TEST(Digest, CoversAFileOfSeveralBlocks) {
  const TemporaryFolder folder;
  write_file(folder / "a", std::string(10'000'000, 'a'));
  EXPECT_EQ(file_digest(folder / "a", Digest::kSha256),
            "01f4a87c04b40af59aadc0e812293509709c9a8763a60b7f9e19303322f8b03c");
}

TEST(Digest, NamesAMissingFile) {
  EXPECT_THAT([] { file_digest("/nowhere/x.tgz", Digest::kMd5); }, ThrowsMessage<Error>(HasSubstr("/nowhere/x.tgz")));
}

}  // namespace
}  // namespace verbund
