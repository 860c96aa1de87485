// Reading checkpoints. Needs no right to write, so that a run's checkpoints can be looked at
// and used while it goes on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_format.h"
#include "checkpoint/safetensors.h"
#include "core/json_file.h"

namespace verbund {

// A whole checkpoint: opening it verifies every byte, and damage is an error that names the
// file and what is wrong with it.
class Checkpoint {
 public:
  explicit Checkpoint(const fs::path& folder);

  const fs::path& folder() const { return folder_; }
  int64_t step() const { return manifest_.step; }
  const CheckpointManifest& manifest() const { return manifest_; }

  const SafetensorsFile& weights() const { return *weights_; }
  const SafetensorsFile* optimizer() const { return optimizer_ ? &*optimizer_ : nullptr; }  // nullptr: not saved
  const SafetensorsFile* average() const { return average_ ? &*average_ : nullptr; }        // nullptr: not saved
  const SafetensorsFile* exchange() const { return exchange_ ? &*exchange_ : nullptr; }     // nullptr: not saved
  const std::string& state_json() const { return state_json_; }
  const std::string& config_yaml() const { return config_yaml_; }

  // What `use` takes out of state.json; if that is not there, the error names the file.
  template <typename Use>
  auto use_state(Use use) const {
    return use_json(state_json_, (folder_ / kStateFile).string(), "Use another checkpoint.", std::move(use));
  }

 private:
  void verify_files() const;
  void check_steps() const;

  fs::path folder_;
  CheckpointManifest manifest_;
  std::optional<SafetensorsFile> weights_, optimizer_, average_, exchange_;
  std::string state_json_;
  std::string config_yaml_;
};

struct CheckpointEntry {
  int64_t step = 0;
  fs::path folder;
};

// By name alone, in the order of steps. A folder that does not exist has none.
std::vector<CheckpointEntry> list_checkpoints(const fs::path& checkpoints);

struct DamagedCheckpoint {
  CheckpointEntry entry;
  std::string reason;
};

struct NewestCheckpoint {
  std::optional<Checkpoint> checkpoint;    // none: there is none, or all are damaged
  std::vector<DamagedCheckpoint> damaged;  // the newer ones that were skipped, newest first
};

// Warns of each one that it skips, with the file and what is wrong with it. One that is there but cannot be read
// (another user's, a disk that fails) is not damaged: that is an error.
// Only of steps before `end`, if that is given.
NewestCheckpoint newest_whole_checkpoint(const fs::path& checkpoints, int64_t end = INT64_MAX);

}  // namespace verbund
