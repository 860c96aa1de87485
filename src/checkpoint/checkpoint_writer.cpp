#include "checkpoint/checkpoint_writer.h"

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/log.h"
#include "core/partial_folder.h"

namespace verbund {
namespace {

FileSummary write_text(const fs::path& path, const std::string& text) {
  ChecksummedFile file(path);
  file.write(text);
  return file.commit();
}

void write_contents(const fs::path& folder, const CheckpointSnapshot& snapshot) {
  CheckpointManifest manifest;
  manifest.step = snapshot.step;
  const SafetensorsMetadata metadata = {{"made_by", "verbund"}, {"step", std::to_string(snapshot.step)}};
  const auto write_tensors = [&](const char* name, const std::vector<TensorView>& tensors) {
    manifest.files[name] = write_safetensors(folder / name, tensors, metadata);
  };
  write_tensors(kWeightsFile, snapshot.weights);
  if (!snapshot.optimizer.empty()) write_tensors(kOptimizerFile, snapshot.optimizer);
  if (!snapshot.average.empty()) write_tensors(kAverageFile, snapshot.average);
  manifest.files[kStateFile] = write_text(folder / kStateFile, snapshot.state_json);
  manifest.files[kConfigFile] = write_text(folder / kConfigFile, snapshot.config_yaml);
  write_checkpoint_manifest(folder, manifest);
  sync_folder(folder);
}

// For file systems that cannot let two folders change places (NFS). Between the two renames
// there is no checkpoint of this name; the one before it covers that moment.
void replace_in_two_moves(const fs::path& partial, const fs::path& folder) {
  const fs::path leaving = folder.string() + kDeletingEnding;
  fs::remove_all(leaving);
  rename_path(folder, leaving);
  try {
    rename_path(partial, folder);
  } catch (const Error&) {
    ::rename(leaving.c_str(), folder.c_str());
    throw;
  }
  fs::remove_all(leaving);
}

// Gives the whole `partial` its name. If that is taken, the two change places, so that
// there is no moment without a checkpoint of this name.
void publish(const fs::path& partial, const fs::path& folder) {
  if (!fs::exists(fs::symlink_status(folder))) {
    rename_path(partial, folder);
  } else if (::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) fail_errno("cannot replace {}", folder.string());
    replace_in_two_moves(partial, folder);
  }
  sync_folder(folder.parent_path());
}

}  // namespace

void write_checkpoint(const fs::path& folder, const CheckpointSnapshot& snapshot) {
  if (snapshot.step < 0) fail("a checkpoint cannot be of step {}", snapshot.step);
  if (!nlohmann::json::parse(snapshot.state_json, nullptr, false).is_object()) {
    fail("the state to save is not a JSON object: {:.80}", snapshot.state_json);
  }
  // Such names are training's own: what a call that was killed left there goes.
  if (step_of_folder_name(folder.filename().string())) fs::remove_all(folder.string() + kPartialEnding);
  const PartialFolder partial(folder);
  write_contents(partial.path(), snapshot);
  publish(partial.path(), folder);
}

void remove_checkpoint(const fs::path& folder) {
  const fs::path leaving = folder.string() + kDeletingEnding;
  fs::remove_all(leaving);
  rename_path(folder, leaving);
  sync_folder(folder.parent_path());  // the name must be gone for good before the files go
  fs::remove_all(leaving);
}

void remove_leftovers(const fs::path& checkpoints) {
  for (const auto& entry : fs::directory_iterator(checkpoints)) {
    const fs::path ending = entry.path().extension();
    if (ending != kPartialEnding && ending != kDeletingEnding) continue;
    const bool ours = step_of_folder_name(entry.path().stem().string()) || entry.is_symlink();
    std::error_code error;
    if (ours) fs::remove_all(entry.path(), error);
    if (error) warn("cannot remove the leftover {}: {}", entry.path().string(), error.message());
  }
}

}  // namespace verbund
