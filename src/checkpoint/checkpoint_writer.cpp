// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/checkpoint_writer.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include "checkpoint/safetensors.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_system.h"
#include "core/json.h"
#include "core/log.h"

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
  if (!snapshot.exchange.empty()) write_tensors(kExchangeFile, snapshot.exchange);
  if (!snapshot.outer.empty()) write_tensors(kOuterFile, snapshot.outer);
  manifest.files[kStateFile] = write_text(folder / kStateFile, snapshot.state_json);
  manifest.files[kConfigFile] = write_text(folder / kConfigFile, snapshot.config_yaml);
  write_checkpoint_manifest(folder, manifest);
  sync_folder(folder);
}

// For file systems that cannot exchange two folders (NFS). A crash between the two renames leaves no checkpoint of this
// name; `finish_replacement` restores it.
void replace_in_two_moves(const fs::path& partial, const fs::path& folder) {
  const fs::path leaving = folder.string() + kDeletingEnding;
  remove_path(leaving);
  rename_path(folder, leaving);
  try {
    rename_path(partial, folder);
  } catch (const Error&) {
    file_system().rename(leaving, folder);
    throw;
  }
  try_remove(leaving);  // the checkpoint is there: a rest is removed with other leftovers
}

// The new one is whole: its manifest was written last, and the old one was renamed after that.
void finish_replacement(const fs::path& folder) {
  const fs::path partial = PartialFolder::content_of(folder);
  if (fs::exists(folder) || !fs::exists(partial / kCheckpointManifest)) return;
  rename_path(partial, folder);
  sync_folder(folder.parent_path());
}

// Gives the whole `partial` its name. If that is taken, the two folders are exchanged, so that there is no moment
// without a checkpoint of this name.
void publish(const fs::path& partial, const fs::path& folder) {
  if (!fs::exists(fs::symlink_status(folder))) {
    rename_path(partial, folder);
  } else if (file_system().exchange(partial, folder) != 0) {
    if (errno != EINVAL && errno != ENOSYS) fail_errno("cannot replace {}", folder.string());
    replace_in_two_moves(partial, folder);
  }
  sync_folder(folder.parent_path());
}

std::optional<int64_t> linked_step(const fs::path& path) {
  std::error_code not_a_link;
  return step_of_folder_name(fs::read_symlink(path, not_a_link).string());
}

}  // namespace

void write_checkpoint(const fs::path& folder, const CheckpointSnapshot& snapshot) {
  if (snapshot.step < 0) fail("a checkpoint cannot be of step {}", snapshot.step);
  if (!try_parse_json(snapshot.state_json).is_object()) {
    fail("the state to save is not a JSON object: {:.80}", snapshot.state_json);
  }
  // Such names belong to training: a leftover of a killed call is removed.
  if (step_of_folder_name(folder.filename().string())) remove_path(folder.string() + kPartialEnding);
  const PartialFolder partial(folder);
  write_contents(partial.path(), snapshot);
  publish(partial.path(), folder);
}

void remove_checkpoint(const fs::path& folder) {
  const fs::path leaving = folder.string() + kDeletingEnding;
  remove_path(leaving);
  rename_path(folder, leaving);
  sync_folder(folder.parent_path());  // the name must be gone on disk before the files are removed
  remove_path(leaving);
}

void remove_leftovers(const fs::path& checkpoints) {
  for (const fs::path& path : list_folder(checkpoints)) {
    if (path.extension() == kDeletingEnding) finish_replacement(fs::path(path).replace_extension());
  }
  for (const fs::path& path : list_folder(checkpoints)) {
    const fs::path ending = path.extension();
    if (ending != kPartialEnding && ending != kDeletingEnding) continue;
    if (!step_of_folder_name(path.stem().string()) && !fs::is_symlink(path)) continue;  // not ours
    if (const auto error = try_remove(path)) warn("cannot remove the leftover {}: {}", path.string(), error.message());
  }
}

void set_checkpoint_link(const fs::path& checkpoints, const std::string& name, int64_t step) {
  const fs::path link = checkpoints / name;
  const fs::path partial = link.string() + kPartialEnding;
  if (linked_step(link) == step) return;
  FileSystem& files = file_system();
  try_remove(partial);
  if (files.symlink(step_folder_name(step), partial) == 0 && files.rename(partial, link) == 0) return;
  warn("cannot set the link {} to {}: {}", link.string(), step_folder_name(step), std::strerror(errno));
  try_remove(partial);
}

std::set<int64_t> linked_steps(const fs::path& checkpoints) {
  std::set<int64_t> steps;
  for (const fs::path& path : list_folder(checkpoints)) {
    if (const auto step = linked_step(path)) steps.insert(*step);
  }
  return steps;
}

void remove_dangling_links(const fs::path& checkpoints) {
  for (const fs::path& path : list_folder(checkpoints)) {
    std::error_code error;  // a checkpoint that cannot be accessed is not gone
    const auto step = linked_step(path);
    if (step && fs::status(checkpoints / step_folder_name(*step), error).type() == fs::file_type::not_found) {
      try_remove(path);
    }
  }
}

}  // namespace verbund
