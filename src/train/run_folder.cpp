#include "train/run_folder.h"

#include "checkpoint/checkpoint_reader.h"
#include "core/error.h"
#include "core/file.h"

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

void RunFolder::check_in_place() const {
  if (lock_->holds(path_)) return;
  const fs::path place = lock_->place();
  if (place.empty()) {
    fail("the run folder {} was removed while the run was at work: it ends here, and what it had not saved is lost",
         path_.string());
  }
  fail(
      "the run folder {} was moved while the run was at work: it is now {}. The run ends here; it goes on from its "
      "newest checkpoint with --run {}, or with the same command once the folder is back.",
      path_.string(), place.string(), place.string());
}

}  // namespace verbund
