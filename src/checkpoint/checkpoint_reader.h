// SPDX-License-Identifier: Apache-2.0
// Checkpoint reads a checkpoint folder. It needs no right to write, so a run's checkpoints can be inspected and used
// while the run continues.
#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_format.h"
#include "checkpoint/safetensors.h"
#include "core/json_file.h"

namespace verbund {

class Buffer;
class ParameterTable;

// What is opened of a checkpoint: everything, as for resuming; or what translating needs, which is the averaged weights
// if there are any, else the weights, with state and configuration.
enum class CheckpointParts { kAll, kModel };

// A whole checkpoint: opening it verifies every byte of what is opened, and damage is an error that names the file and
// the problem.
class Checkpoint {
 public:
  explicit Checkpoint(const fs::path& folder, CheckpointParts parts = CheckpointParts::kAll);

  const fs::path& folder() const { return folder_; }
  int64_t step() const { return manifest_.step; }
  const CheckpointManifest& manifest() const { return manifest_; }

  const SafetensorsFile& weights() const { return *weights_; }  // of all parts
  const SafetensorsFile& model() const { return average_ ? *average_ : *weights_; }
  const SafetensorsFile* optimizer() const { return optimizer_ ? &*optimizer_ : nullptr; }  // nullptr: not saved
  const SafetensorsFile* average() const { return average_ ? &*average_ : nullptr; }        // nullptr: not saved
  const SafetensorsFile* exchange() const { return exchange_ ? &*exchange_ : nullptr; }     // nullptr: not saved
  const SafetensorsFile* outer() const { return outer_ ? &*outer_ : nullptr; }              // nullptr: not saved
  const std::string& state_json() const { return state_json_; }
  const std::string& config_yaml() const { return config_yaml_; }

  // The result of `use` on state.json; if a key is missing, the error names the file.
  template <typename Use>
  auto use_state(Use use) const {
    return use_json(state_json_, (folder_ / kStateFile).string(), "Use another checkpoint.", std::move(use));
  }

 private:
  bool opens(const std::string& file) const;
  void verify_files() const;
  void check_steps() const;

  fs::path folder_;
  CheckpointParts parts_;
  CheckpointManifest manifest_;
  std::optional<SafetensorsFile> weights_, optimizer_, average_, exchange_, outer_;
  std::string state_json_;
  std::string config_yaml_;
};

struct CheckpointEntry {
  int64_t step = 0;
  fs::path folder;
};

// Lists checkpoints by name alone, in the order of steps. A folder that does not exist has none.
std::vector<CheckpointEntry> list_checkpoints(const fs::path& checkpoints);

struct DamagedCheckpoint {
  CheckpointEntry entry;
  std::string reason;
};

struct NewestCheckpoint {
  std::optional<Checkpoint> checkpoint;    // none: there is none, or all are damaged
  std::vector<DamagedCheckpoint> damaged;  // the newer ones that were skipped, newest first
};

// Considers only steps before `end`. Warns of each damaged checkpoint that it skips, with the file and the problem. A
// checkpoint that exists but cannot be read (another user's, a failing disk) is not damaged: that is an error.
NewestCheckpoint newest_whole_checkpoint(const fs::path& checkpoints, int64_t end = INT64_MAX,
                                         CheckpointParts parts = CheckpointParts::kAll);

// The folder that a link such as `last` leads to, or the path itself; nothing if it leads nowhere. A training that runs
// may move the link and delete its old target meanwhile: then it is read again.
std::optional<fs::path> follow_checkpoint_link(const fs::path& path);

// Calls `read` again if it fails because a training that runs has deleted a checkpoint meanwhile: one of the folders
// that find() gives. After some times the error of `read` is final.
template <typename Find, typename Read>
auto read_while_pruned(Find find, Read read) {
  constexpr int kMaxTries = 10;
  for (int tries = 1;; ++tries) {
    const std::vector<fs::path> folders = find();
    try {
      return read(folders);
    } catch (const std::exception&) {  // an Error, or one of the file system
      const bool deleted = std::any_of(folders.begin(), folders.end(), [](const fs::path& folder) {
        std::error_code error;
        return fs::status(folder, error).type() == fs::file_type::not_found;
      });
      if (!deleted || tries == kMaxTries) throw;
    }
  }
}

// Copies the values of all parameters; refuses a file of another shape, naming both.
void load_weights(const SafetensorsFile& file, const ParameterTable& table, Buffer& values);

}  // namespace verbund
