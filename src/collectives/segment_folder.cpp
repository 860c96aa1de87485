// SPDX-License-Identifier: Apache-2.0
#include "collectives/segment_folder.h"

#include <stdlib.h>

#include <fstream>

#include "core/error.h"
#include "core/file.h"

namespace verbund {
namespace {

constexpr const char* kSegmentPrefix = "verbund-segments-";
constexpr int kMaxAttempts = 10;

}  // namespace

SegmentFolder::SegmentFolder(const fs::path& parent) {
  // Between its making and its lock, another process may take it for that of a dead one.
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::string name = fmt::format("{}/{}XXXXXX", parent.string(), kSegmentPrefix);
    if (::mkdtemp(name.data()) == nullptr) return;
    if (!lock(name)) continue;
    path_ = name;
    return;
  }
}

bool SegmentFolder::lock(const fs::path& folder) {
  try {
    lock_.emplace(folder);
    return lock_->try_lock() && lock_->holds(folder);
  } catch (const Error&) {  // it is gone already
    return false;
  }
}

SegmentFolder::~SegmentFolder() { unname(); }

void SegmentFolder::unname() {
  if (path_.empty()) return;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) names_.push_back(entry.path());
  try_remove(path_);
}

void SegmentFolder::restore_names() {
  std::error_code error;
  if (names_.empty() || !fs::create_directory(path_, error) || !lock(path_)) return;
  for (const fs::path& name : names_) std::ofstream{name};
}

void remove_dead_segment_folders(const fs::path& parent) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(kSegmentPrefix) || !entry.is_directory(error)) continue;
    try {
      if (FolderLock lock(entry.path()); lock.try_lock()) try_remove(entry.path());
    } catch (const Error&) {  // another user's, or gone
    }
  }
}

}  // namespace verbund
