// SPDX-License-Identifier: Apache-2.0
// FolderLock keeps two commands from working in one folder at the same time.
#pragma once

#include "core/file_system.h"

namespace verbund {

// Held until the end of the object or of the process, however that ends.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

  // False only if something else, or nothing, has this path now. True if the file system does not answer.
  bool holds(const std::filesystem::path& path) const;

  // The present path of the folder, which may have been moved. "": it was removed.
  std::filesystem::path place() const;

  // False if another process holds it. Does not wait.
  bool try_lock();

  // Whether another process holds it, without taking it. (It asks for a shared lock, for a moment.)
  bool is_taken() const;

 private:
  OpenFile folder_;
};

}  // namespace verbund
