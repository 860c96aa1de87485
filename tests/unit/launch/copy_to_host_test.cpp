// SPDX-License-Identifier: Apache-2.0
// CopyToHost with an agent that runs its scripts here, on the files of another folder.
#include "launch/copy_to_host.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "fetch/archive.h"
#include "launch/mpirun_starter.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// site/ is what this machine has; the scripts find host/ in its place.
class CopyTest : public ::testing::Test, public MpirunStarter {
 public:
  CopyTest() : MpirunStarter({}) {
    fs::create_directories(site());
    fs::create_directories(host());
  }

  std::vector<std::string> shell_on_host(const std::string&, const std::string& script) const override {
    std::string there = script;
    for (size_t at; (at = there.find(site().string())) != std::string::npos;) {
      there.replace(at, site().string().size(), host());
    }
    return {"sh", "-c",
            filter_.empty() || there.find("cat >>") == std::string::npos
                ? there
                : fmt::format("{} | sh -c {}", filter_, shell_line({there}))};
  }

 protected:
  fs::path site() const { return folder_ / "site"; }
  fs::path host() const { return folder_ / "host"; }

  CopyFile add(const std::string& name, const std::string& content, bool executable = false) {
    folder_.write("site/" + name, content);
    const fs::path path = site() / name;
    files_.push_back({path, content.size(), file_digest(path, Digest::kSha256), executable, {}});
    return files_.back();
  }

  fs::path partial(const CopyFile& file) const {
    return host() / (file.path.filename().string() + ".b." + file.sha256.substr(0, 12) + ".partial");
  }

  std::unique_ptr<CopyToHost> copy() {
    auto copy = std::make_unique<CopyToHost>(*this, "b", files_, site());
    while (copy->ask()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    while (copy->send()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return copy;
  }

  std::vector<std::string> on_host() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(host())) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  TemporaryFolder folder_;
  std::vector<CopyFile> files_;
  std::string filter_;  // what happens to a file on its way
};

TEST_F(CopyTest, BringsWhatIsMissing) {
  add("program", "#!/bin/sh\n", true);
  add("it's a file", std::string(300000, 'x'));
  add("empty", "");
  const auto first = copy();
  EXPECT_EQ(first->trouble(), "");
  EXPECT_EQ(first->files_to_send(), 3u);
  EXPECT_EQ(first->sent(), first->to_send());
  EXPECT_THAT(on_host(), ElementsAre("empty", "it's a file", "program"));
  EXPECT_EQ(slurp(host() / "it's a file"), std::string(300000, 'x'));
  EXPECT_EQ(fs::status(host() / "program").permissions() & fs::perms::all, fs::perms(0755));
  EXPECT_EQ(copy()->files_to_send(), 0u) << "it has them now";
}

TEST_F(CopyTest, ReplacesAFileOfTheSameSizeAndOtherContent) {
  add("a", "new");
  folder_.write("host/a", "old");
  EXPECT_EQ(copy()->files_to_send(), 1u);
  EXPECT_EQ(slurp(host() / "a"), "new");
}

TEST_F(CopyTest, ContinuesWhatWasBrokenOff) {
  const CopyFile file = add("a", std::string(100000, 'a') + std::string(100000, 'b'));
  folder_.write("host/a.b.000000000000.partial", "of another content");
  filter_ = "head -c 70000";
  const auto broken = copy();
  EXPECT_TRUE(broken->lost());
  EXPECT_THAT(broken->trouble(), HasSubstr(file.path.string()));
  EXPECT_FALSE(fs::exists(host() / "a")) << "whole or absent";
  EXPECT_EQ(fs::file_size(partial(file)), 70000u);
  filter_ = "";
  const auto rest = copy();
  EXPECT_EQ(rest->trouble(), "");
  EXPECT_EQ(rest->to_send(), 130000u);
  EXPECT_EQ(slurp(host() / "a"), slurp(file.path));
  EXPECT_THAT(on_host(), ElementsAre("a"));
}

TEST_F(CopyTest, ADamagedPartIsSentAgainFromTheStart) {
  const CopyFile file = add("a", std::string(50000, 'a'));
  for (const size_t size : {20000, 50000, 60000}) {
    fs::remove(host() / "a");
    std::ofstream(partial(file)) << std::string(size, 'z');
    const auto done = copy();
    EXPECT_EQ(done->trouble(), "");
    EXPECT_EQ(slurp(host() / "a"), slurp(file.path)) << size;
  }
}

TEST_F(CopyTest, DamageOnTheWayIsFound) {
  add("a", std::string(50000, 'a'));
  filter_ = "tr a b";
  const auto done = copy();
  EXPECT_FALSE(done->lost()) << "it would happen again";
  EXPECT_THAT(done->trouble(), HasSubstr("SHA-256"));
  EXPECT_THAT(on_host(), IsEmpty());
}

TEST_F(CopyTest, TwoHostsMayShareADisk) {
  const CopyFile file = add("a", std::string(300000, 'a'));
  filter_ = "(sleep 0.2; cat)";  // both write at the same time
  CopyToHost first(*this, "b", files_, site()), second(*this, "c", files_, site());
  const auto until_end = [&](bool (CopyToHost::*work)()) {
    for (bool runs = true; runs; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      runs = (first.*work)();
      runs |= (second.*work)();
    }
  };
  until_end(&CopyToHost::ask);
  until_end(&CopyToHost::send);
  EXPECT_EQ(first.trouble(), "");
  EXPECT_EQ(second.trouble(), "");
  EXPECT_EQ(slurp(host() / "a"), slurp(file.path));
  EXPECT_THAT(on_host(), ElementsAre("a"));
}

TEST_F(CopyTest, AnOldDatasetIsNoneOnceAFileOfItChanges) {
  for (const char* name : {"a", "b", "manifest"}) add(name, std::string("new ") + name);
  files_[0].manifest = files_[1].manifest = files_[2].path;
  folder_.write("host/a", "old");
  folder_.write("host/b", "old");
  folder_.write("host/manifest", "new manifest");                             // the same, although the files differ
  filter_ = "sh -c 'x=$(cat); [ \"$x\" != \"new b\" ] && printf %s \"$x\"'";  // breaks off at the second file
  EXPECT_TRUE(copy()->lost());
  EXPECT_EQ(slurp(host() / "a"), "new a");
  EXPECT_FALSE(fs::exists(host() / "manifest"));
  filter_ = "";
  EXPECT_EQ(copy()->files_to_send(), 2u);
  EXPECT_EQ(slurp(host() / "b"), "new b");
  EXPECT_EQ(slurp(host() / "manifest"), "new manifest");
}

TEST_F(CopyTest, AsksForAnyNumberOfFiles) {
  const CopyFile file = add("a", "x");
  files_.assign(700, file);  // more than fits into an argument
  const auto files_to_send = [&] {
    CopyToHost copy(*this, "b", files_, site());
    while (copy.ask()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(copy.trouble(), "");
    return copy.files_to_send();
  };
  EXPECT_EQ(files_to_send(), 700u);
  folder_.write("host/a", "x");
  EXPECT_EQ(files_to_send(), 0u);
}

TEST_F(CopyTest, TellsWhyItCannotWrite) {
  add("a", "x");
  fs::remove(host());
  folder_.write("host", "a file is in the way");
  const auto done = copy();
  EXPECT_FALSE(done->lost());
  EXPECT_THAT(done->trouble(), HasSubstr("mkdir"));
}

TEST(CopyList, FindsTheDatasetsOfACommand) {
  EXPECT_THAT(values_of({"verbund", "train", "--data", "a", "--data=b", "--run", "c"}, "--data"),
              ElementsAre("a", "b"));
  EXPECT_THAT(values_of({"verbund", "train", "--data"}, "--data"), IsEmpty());
  EXPECT_THAT(values_of({"verbund", "train", "--database=x"}, "--data"), IsEmpty());
}

}  // namespace
}  // namespace verbund
