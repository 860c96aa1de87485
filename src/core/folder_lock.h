// Two commands must not work in one folder at the same time.
#pragma once

#include <filesystem>

namespace verbund {

// Held until the end of the object or of the process, however that ends.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Where the folder is now: it may have been moved since. "": it was removed.
  std::filesystem::path place() const;

  // False if another process holds it. Does not wait.
  bool try_lock();

 private:
  int descriptor_;
};

}  // namespace verbund
