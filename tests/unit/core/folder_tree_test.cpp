// SPDX-License-Identifier: Apache-2.0
#include "core/folder_tree.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;

TEST(FolderTree, SizesAddUpToWhatDuSays) {
  TemporaryFolder folder;
  make_folder(folder / "sub");
  write_file(folder / "a", "12345");
  write_file(folder / "sub" / "b", std::string(100000, 'x'));
  fs::create_hard_link(folder / "a", folder / "same");
  fs::create_symlink("a", folder / "link");
  fs::create_directory_symlink("..", folder / "sub" / "up");  // not followed
  const std::vector<TreeEntry> tree = list_tree(folder.path());
  std::vector<std::string> names;
  for (const TreeEntry& entry : tree) names.push_back(entry.name + (entry.counted ? "" : " again"));
  EXPECT_THAT(names, ElementsAre(".", "a", "link", "same again", "sub", "sub/b", "sub/up"));
  EXPECT_EQ(tree[2].target, "a");
  EXPECT_EQ(tree[2].size, 1u);

  FILE* du = ::popen(fmt::format("du -sb '{}'", folder.path().string()).c_str(), "r");
  unsigned long long bytes = 0;
  ASSERT_EQ(std::fscanf(du, "%llu", &bytes), 1);
  ::pclose(du);
  EXPECT_EQ(tree_bytes(tree), bytes);
}

}  // namespace
}  // namespace verbund
