#include "train/run_folder.h"

#include "checkpoint/checkpoint_reader.h"
#include "core/error.h"
#include "core/expect_folder.h"

namespace verbund {

RunFolder::RunFolder(const fs::path& path, bool anew) : path_(path) {
  if (fs::exists(path)) expect_folder(path, "a run");
  if (anew && !list_checkpoints(checkpoints()).empty()) {
    fail("{} holds an earlier run. Give another --run, or delete it.", path.string());
  }
  if (fs::exists(path) && !fs::is_empty(path) && !fs::exists(config()) && !fs::exists(checkpoints())) {
    fail("--run {} holds other things than a run. Give a new or empty folder.", path.string());
  }
  make_folder(path);
  lock_ = std::make_unique<FolderLock>(path);
  if (!lock_->try_lock()) {
    fail("{} is in use: another `verbund train` is at work there. Wait for it, or give another --run.", path.string());
  }
}

}  // namespace verbund
