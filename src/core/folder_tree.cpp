// SPDX-License-Identifier: Apache-2.0
#include "core/folder_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/file_system.h"

namespace verbund {
namespace {

TreeEntry::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return TreeEntry::Kind::kFile;
  if (S_ISDIR(mode)) return TreeEntry::Kind::kFolder;
  if (S_ISLNK(mode)) return TreeEntry::Kind::kLink;
  return TreeEntry::Kind::kOther;
}

class Lister {
 public:
  void add(const fs::path& path, const std::string& name) {
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) return;  // it has just been removed
    TreeEntry entry{name, kind_of(status.st_mode), static_cast<uint64_t>(status.st_size), "", true};
    if (entry.kind != TreeEntry::Kind::kFolder && status.st_nlink > 1) {
      entry.counted = seen_.emplace(status.st_dev, status.st_ino).second;
    }
    std::error_code gone;
    if (entry.kind == TreeEntry::Kind::kLink) entry.target = fs::read_symlink(path, gone).string();
    entries.push_back(entry);
    if (entry.kind != TreeEntry::Kind::kFolder) return;
    std::vector<fs::path> inside;
    if (file_system().list(path, inside) != 0) {
      if (errno != ENOENT) fail_errno("cannot read the folder {}", path.string());
      entries.pop_back();  // it has just been removed, too
      return;
    }
    std::sort(inside.begin(), inside.end());
    for (const fs::path& child : inside) {
      add(child, (name == "." ? "" : name + "/") + child.filename().string());
    }
  }

  std::vector<TreeEntry> entries;

 private:
  std::set<std::pair<dev_t, ino_t>> seen_;  // files with several names
};

}  // namespace

std::vector<TreeEntry> list_tree(const fs::path& folder) {
  Lister lister;
  lister.add(fs::canonical(folder), ".");
  return std::move(lister.entries);
}

uint64_t tree_bytes(const std::vector<TreeEntry>& entries) {
  uint64_t bytes = 0;
  for (const TreeEntry& entry : entries) bytes += entry.counted ? entry.size : 0;
  return bytes;
}

}  // namespace verbund
