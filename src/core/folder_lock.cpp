#include "core/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/error.h"

namespace verbund {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail_errno("cannot open {}", folder.string());
}

FolderLock::~FolderLock() { ::close(descriptor_); }

bool FolderLock::try_lock() { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

}  // namespace verbund
