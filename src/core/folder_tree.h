// SPDX-License-Identifier: Apache-2.0
// TreeEntry is one file, folder or link of a folder tree. Their sizes add up to the result of `du -b`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace verbund {

struct TreeEntry {
  enum class Kind { kFile, kFolder, kLink, kOther };

  std::string name;  // relative to the folder; "." is the folder itself
  Kind kind = Kind::kFile;
  uint64_t size = 0;    // in bytes; of a folder or link its own entry, without its content or target
  std::string target;   // what a link points to, as written
  bool counted = true;  // false: another name of a file that is listed already, which needs no space
};

// The folder first, then its content, in the order of names; links are not followed. Entries that vanish meanwhile are
// left out.
std::vector<TreeEntry> list_tree(const std::filesystem::path& folder);

uint64_t tree_bytes(const std::vector<TreeEntry>& entries);

}  // namespace verbund
