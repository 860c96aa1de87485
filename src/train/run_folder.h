// The folder of a run: new, empty or of an earlier run, and for one trainer at a time.
#pragma once

#include <memory>

#include "core/file.h"
#include "core/folder_lock.h"

namespace verbund {

class RunFolder {
 public:
  // `anew`: refuse a folder that holds an earlier run.
  RunFolder(const fs::path& path, bool anew);

  // Fails if the folder was moved or removed, for what is written to its path from then on would be lost.
  void check_in_place() const;

  const fs::path& path() const { return path_; }
  fs::path checkpoints() const { return path_ / "checkpoints"; }
  fs::path config() const { return path_ / "config.yaml"; }

 private:
  fs::path path_;
  std::unique_ptr<FolderLock> lock_;
};

}  // namespace verbund
