// SPDX-License-Identifier: Apache-2.0
// CheckpointStore manages the checkpoints of a run, for the one program that writes them: it saves and names them, and
// deletes outdated ones. Other programs read with checkpoint_reader.h.
//
// Resuming from a checkpoint takes two calls, so that later checkpoints cannot be mistaken for newer ones:
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

// The steps, of `steps` in ascending order, to delete after `saved` was saved. The last `keep_last` steps, those
// divisible by `keep_every`, and `named` are kept. Steps after `saved` belong to another course of the training and are
// neither counted nor deleted.
std::vector<int64_t> outdated_steps(const std::vector<int64_t>& steps, int64_t saved, const CheckpointConfig& config,
                                    const std::set<int64_t>& named);

// One thread may save while another names.
class CheckpointStore {
 public:
  // Makes the folder if needed, and removes leftovers of a crash.
  CheckpointStore(fs::path folder, const CheckpointConfig& config);

  // Returns the new checkpoint's folder. After an error (full disk, no right to write) the earlier checkpoints are
  // unchanged, and nothing of this one is left.
  fs::path save(const CheckpointSnapshot& snapshot);

  std::vector<CheckpointEntry> list() const { return list_checkpoints(folder_); }
  NewestCheckpoint newest_whole(int64_t end = INT64_MAX) const { return newest_whole_checkpoint(folder_, end); }

  // Sets a link such as `best`, which also keeps its step from being deleted, in later runs too. If the checkpoint is
  // still being saved, the link is set after that.
  void name(const std::string& link, int64_t step);

  // Deletes all checkpoints of later steps, named or not. Not while one is being saved.
  void drop_after(int64_t step);

  const fs::path& folder() const { return folder_; }
  const CheckpointConfig& config() const { return config_; }

 private:
  std::string newest_text() const;
  void settle(int64_t saved);
  void prune(int64_t saved);

  const fs::path folder_;
  const CheckpointConfig config_;
  std::mutex mutex_;
  std::map<std::string, int64_t> awaited_links_;  // to checkpoints that are still being saved
};

}  // namespace verbund
