// SPDX-License-Identifier: Apache-2.0
// SegmentFolder is a process's own folder in /dev/shm for the shared memory of MPI, whose segments are files. They need
// a name only while the workers of a host connect; then this class removes it. Nothing remains when the process ends.
// The next start removes what a process left that died while connecting.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/folder_lock.h"

namespace verbund {

class SegmentFolder {
 public:
  // Has no path if the folder cannot be made.
  explicit SegmentFolder(const std::filesystem::path& parent = "/dev/shm");
  ~SegmentFolder();
  SegmentFolder(const SegmentFolder&) = delete;
  SegmentFolder& operator=(const SegmentFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Removes the folder with all names in it. All processes must have opened what they share.
  void unname();
  // Makes empty files of the same names: MPI complains at its end if it cannot remove them.
  void restore_names();

 private:
  bool lock(const std::filesystem::path& folder);

  std::filesystem::path path_;
  std::optional<FolderLock> lock_;  // as long as it is held, the process lives
  std::vector<std::filesystem::path> names_;
};

// Removes the folders of processes that have died.
void remove_dead_segment_folders(const std::filesystem::path& parent = "/dev/shm");

}  // namespace verbund
