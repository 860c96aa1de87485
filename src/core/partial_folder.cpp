#include "core/partial_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

#include "core/error.h"

namespace verbund {

PartialFolder::PartialFolder(fs::path folder) : folder_(std::move(folder)), path_(folder_.string() + kPartialEnding) {
  if (path_.has_parent_path()) make_folder(path_.parent_path());
  if (::mkdir(path_.c_str(), 0777) == 0) return;
  if (errno != EEXIST) fail_errno("cannot create the folder {}", path_.string());
  fail(
      "{} is in the way: it is somebody's, or was left by a call that was killed, or another call is at work on it. "
      "Remove or rename it, or have the result elsewhere.",
      path_.string());
}

PartialFolder::~PartialFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void PartialFolder::publish() const {
  sync_folder(path_);
  rename_folder(path_, folder_);
  sync_folder(folder_.parent_path());
}

void rename_folder(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail_errno("cannot rename {} to {}", from.string(), to.string());
}

}  // namespace verbund
