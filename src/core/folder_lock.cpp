// SPDX-License-Identifier: Apache-2.0
#include "core/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/error.h"

namespace verbund {

FolderLock::FolderLock(const std::filesystem::path& folder) : folder_(folder, O_RDONLY | O_DIRECTORY) {
  if (!folder_) fail_errno("cannot open {}", folder.string());
}

bool FolderLock::holds(const std::filesystem::path& path) const {
  struct stat own = {}, there = {};
  if (::stat(path.c_str(), &there) != 0) return errno != ENOENT && errno != ENOTDIR;
  return ::fstat(folder_.descriptor(), &own) != 0 || (own.st_dev == there.st_dev && own.st_ino == there.st_ino);
}

std::filesystem::path FolderLock::place() const {
  struct stat status = {};
  if (::fstat(folder_.descriptor(), &status) != 0 || status.st_nlink == 0) return "";
  std::error_code error;
  const auto place = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(folder_.descriptor()), error);
  return std::filesystem::exists(place, error) ? place : "";  // file systems that do not count links: "... (deleted)"
}

bool FolderLock::try_lock() { return ::flock(folder_.descriptor(), LOCK_EX | LOCK_NB) == 0; }

bool FolderLock::is_taken() const {
  if (::flock(folder_.descriptor(), LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(folder_.descriptor(), LOCK_UN);
  return false;
}

}  // namespace verbund
