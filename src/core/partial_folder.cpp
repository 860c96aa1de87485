#include "core/partial_folder.h"

#include <cerrno>

#include "core/error.h"
#include "core/file_system.h"

namespace verbund {

PartialFolder::PartialFolder(fs::path folder) : folder_(std::move(folder)), path_(folder_.string() + kPartialEnding) {
  if (path_.has_parent_path()) make_folder(path_.parent_path());
  if (file_system().mkdir(path_) == 0) return;
  if (errno != EEXIST) fail_errno("cannot create the folder {}", path_.string());
  fail(
      "{} is in the way: it is somebody's, or was left by a call that was killed, or another call is at work on it. "
      "Remove or rename it, or have the result elsewhere.",
      path_.string());
}

PartialFolder::~PartialFolder() { try_remove(path_); }

void PartialFolder::publish() const {
  sync_folder(path_);
  rename_path(path_, folder_);
  sync_folder(folder_.parent_path());
}

}  // namespace verbund
