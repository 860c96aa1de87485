// Two commands must not work in one folder at the same time.
#pragma once

#include "core/file_system.h"

namespace verbund {

// Held until the end of the object or of the process, however that ends.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

  // Where the folder is now: it may have been moved since. "": it was removed.
  std::filesystem::path place() const;

  // False if another process holds it. Does not wait.
  bool try_lock();

 private:
  OpenFile folder_;
};

}  // namespace verbund
