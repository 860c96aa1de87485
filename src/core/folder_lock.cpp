#include "core/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

namespace verbund {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail_errno("cannot open {}", folder.string());
}

FolderLock::~FolderLock() { ::close(descriptor_); }

std::filesystem::path FolderLock::place() const {
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0 || status.st_nlink == 0) return "";
  std::error_code error;
  const auto place = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor_), error);
  return std::filesystem::exists(place, error) ? place : "";  // file systems that do not count links: "... (deleted)"
}

bool FolderLock::try_lock() { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

}  // namespace verbund
