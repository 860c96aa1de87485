// SPDX-License-Identifier: Apache-2.0
#include "board/run_index.h"

#include <gtest/gtest.h>

#include "unit/board/made_folder.h"

namespace verbund {
namespace {

std::vector<std::string> names_in(RunIndex& index, double now) {
  index.refresh(now, 0);
  std::vector<std::string> names;
  for (const auto& run : index.runs()) names.push_back(run->run.name());
  return names;
}

TEST(RunIndex, FindsRunsInFoldersOfFoldersAndForgetsThoseThatAreGone) {
  const TemporaryFolder folder;
  const MadeFolder a(folder / "a"), b(folder / "group/b");
  fs::create_directories(folder / "empty/one");
  RunIndex index(folder.path());
  EXPECT_EQ(names_in(index, 1000), (std::vector<std::string>{"a", "group/b"}));
  const auto kept = index.find("a");
  const MadeFolder c(folder / "c");
  fs::remove_all(folder / "group");
  EXPECT_EQ(names_in(index, 1010), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(index.find("a"), kept);
  EXPECT_EQ(index.find("group/b"), nullptr);
}

TEST(RunIndex, ANameIsLookedUpAndNeverBecomesAPath) {
  const TemporaryFolder folder;
  const MadeFolder outside(folder / "outside"), inside(folder / "runs/a");
  RunIndex index(folder / "runs");
  index.refresh(1000, 0);
  EXPECT_NE(index.find("a"), nullptr);
  const std::string path = folder / "outside";
  for (const std::string name : {"../outside", "a/../../outside", "/", "", ".", "..", "a/", "./a", "%2e%2e/outside",
                                 path.c_str(), "a\\..\\..\\outside"}) {
    EXPECT_EQ(index.find(name), nullptr) << name;
  }
}

TEST(RunIndex, ARunWithALinkThatLeadsOutsideIsRefused) {
  const TemporaryFolder folder;
  const MadeFolder outside(folder / "outside"), a(folder / "runs/a"), b(folder / "runs/b"), c(folder / "runs/c");
  const fs::path runs = folder / "runs";
  fs::create_symlink(folder / "outside", runs / "linked");
  fs::create_symlink(folder / "outside/steps", runs / "b/evaluations");
  fs::create_directories(runs / "c/checkpoints/step-1");
  fs::create_symlink("step-1", runs / "c/checkpoints/best");  // within the run, as training makes it
  RunIndex index(runs);
  EXPECT_EQ(names_in(index, 1000), (std::vector<std::string>{"a", "c"}));
  const std::vector<std::string> refused = index.refused();
  EXPECT_EQ(std::set<std::string>(refused.begin(), refused.end()), (std::set<std::string>{"b", "linked"}));
  EXPECT_TRUE(leads_outside(runs / "a/../../outside", fs::canonical(runs)));
}

TEST(RunIndex, TheFolderMayItselfBeARun) {
  const TemporaryFolder folder;
  const MadeFolder a(folder / "a");
  RunIndex index(folder / "a");
  EXPECT_EQ(names_in(index, 1000), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace verbund
