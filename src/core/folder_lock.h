// Two commands must not work in one folder at the same time.
#pragma once

#include "core/file_system.h"

namespace verbund {

// Held until the end of the object or of the process, however that ends.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

  // False only if something else, or nothing, has this path now: a file system that does not answer proves nothing.
  bool holds(const std::filesystem::path& path) const;

  // Where the folder is now: it may have been moved since. "": it was removed.
  std::filesystem::path place() const;

  // False if another process holds it. Does not wait.
  bool try_lock();

  // Whether another process holds it: for those who only look. (It asks for a shared lock, for a moment.)
  bool is_taken() const;

 private:
  OpenFile folder_;
};

}  // namespace verbund
