// All that a folder holds, with sizes that add up to what `du -b` says of it.
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
  uint64_t size = 0;    // in bytes; of a folder or link its own entry, without what is in it or behind it
  std::string target;   // what a link points to, as written
  bool counted = true;  // false: another name of a file that was listed already, which takes no space again
};

// The folder first, then what is in it, in the order of names; links are not followed. What vanishes meanwhile is left
// out.
std::vector<TreeEntry> list_tree(const std::filesystem::path& folder);

uint64_t tree_bytes(const std::vector<TreeEntry>& entries);

}  // namespace verbund
