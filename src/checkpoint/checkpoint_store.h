// The checkpoints of a run, for the one program that writes them: saving, naming, and
// deleting those that have had their time. Others read with checkpoint_reader.h.
//
// Going on from a checkpoint takes two calls, so that what was saved after it cannot be
// mistaken for newer:
//   NewestCheckpoint newest = store.newest_whole();
//   if (newest.checkpoint) store.drop_after(newest.checkpoint->step());
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_format.h"
#include "checkpoint/checkpoint_reader.h"
#include "config/checkpoint_config.h"

namespace verbund {

// One thread may save while another pins and names.
class CheckpointStore {
 public:
  // Makes the folder if needed and removes what a crash has left there.
  CheckpointStore(fs::path folder, const CheckpointConfig& config);

  // Returns the new checkpoint's folder. After an error (full disk, no right to write)
  // the checkpoints before it are there as they were, and nothing of this one is.
  fs::path save(const CheckpointSnapshot& snapshot);

  std::vector<CheckpointEntry> list() const { return list_checkpoints(folder_); }
  NewestCheckpoint newest_whole(int64_t end = INT64_MAX) const { return newest_whole_checkpoint(folder_, end); }

  // These steps are not deleted for their age; replaces what was pinned before.
  void pin(std::set<int64_t> steps);

  // A link such as `best`, which pins its step as well, in later runs too. If the checkpoint is
  // only being saved, the link moves when it is there.
  void name(const std::string& link, int64_t step);

  // Deletes all checkpoints of later steps, pinned or not. Not while one is being saved.
  void drop_after(int64_t step);

  const fs::path& folder() const { return folder_; }
  const CheckpointConfig& config() const { return config_; }

 private:
  void settle(int64_t saved);
  void prune(int64_t saved);

  const fs::path folder_;
  const CheckpointConfig config_;
  std::mutex mutex_;
  std::set<int64_t> pinned_;
  std::map<std::string, int64_t> awaited_links_;  // to checkpoints that are not there yet
};

}  // namespace verbund
