// SPDX-License-Identifier: Apache-2.0
// The format of a checkpoint on disk; docs/checkpoints.md describes it for users.
//
// checkpoints/step-00004000/ holds the files named below. manifest.json is written last and names every other file with
// size and checksum. The folder is filled as step-00004000.partial and then renamed; it is deleted as
// step-00004000.deleting. So a folder with a plain name is whole, unless the disk has damaged it since.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.h"
#include "core/checksummed_file.h"

namespace verbund {

inline constexpr int kCheckpointVersion = 1;
inline constexpr const char* kWeightsFile = "weights.safetensors";
inline constexpr const char* kOptimizerFile = "optimizer.safetensors";  // may be left out
inline constexpr const char* kAverageFile = "average.safetensors";      // may be left out
inline constexpr const char* kExchangeFile = "exchange.safetensors";    // may be left out
inline constexpr const char* kOuterFile = "outer.safetensors";          // may be left out
inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kConfigFile = "config.yaml";
inline constexpr const char* kCheckpointManifest = "manifest.json";

// Beside the checkpoints: the run's copies of its dataset's subword models; the same file for a joint one.
inline constexpr char kSourceVocabulary[] = "source.model";
inline constexpr char kTargetVocabulary[] = "target.model";

// Key of state.json: {"source": CHECKSUM, "target": CHECKSUM} of the subword models that the weights were trained with.
inline constexpr const char* kVocabulariesKey = "vocabularies";

// Key of state.json: the origin of the weights, see CheckpointOrigin; with the time.
inline constexpr const char* kOriginKey = "origin";

// Key of state.json of an average: the steps it was made of. Only averages have it.
inline constexpr const char* kMeanOfKey = "mean_of";

inline constexpr const char* kDeletingEnding = ".deleting";

// The run that a checkpoint comes from.
struct CheckpointOrigin {
  std::string run;      // its id in run.json
  std::string folder;   // its place at that time
  std::string program;  // version and commit
};

// The contents to be saved. The caller owns the tensors' bytes.
struct CheckpointSnapshot {
  int64_t step = 0;
  std::vector<TensorView> weights;
  std::vector<TensorView> optimizer;  // empty: no such file
  std::vector<TensorView> average;    // averaged weights; empty: no such file
  std::vector<TensorView> exchange;   // residuals of rounded gradients; empty: no such file
  std::vector<TensorView> outer;      // outer momentum and each worker's own state; empty: no such file
  std::string state_json;             // an object that the trainer defines, except for kVocabulariesKey
  std::string config_yaml;

  uint64_t tensor_bytes() const;
};

struct CheckpointManifest {
  int64_t step = 0;
  std::map<std::string, FileSummary> files;

  std::string checksum() const;  // of all the above
};

void write_checkpoint_manifest(const fs::path& folder, const CheckpointManifest& manifest);
CheckpointManifest read_checkpoint_manifest(const fs::path& folder);

std::string step_folder_name(int64_t step);                         // 4000 -> "step-00004000"
std::optional<int64_t> step_of_folder_name(std::string_view name);  // nothing for any other name

}  // namespace verbund
