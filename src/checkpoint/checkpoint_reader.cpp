#include "checkpoint/checkpoint_reader.h"

#include <algorithm>

#include "core/error.h"
#include "core/hash.h"
#include "core/log.h"

namespace verbund {
namespace {

void verify(const fs::path& path, const FileSummary& expected) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) fail("{} is missing", path.string());
  if (error) fail("cannot read {}: {}", path.string(), error.message());
  if (size != expected.size) {
    fail("{} is damaged: it has {} bytes, but {} says {}", path.string(), size, kCheckpointManifest, expected.size);
  }
  const std::string checksum = file_checksum(path);
  if (checksum != expected.checksum) {
    fail("{} is damaged: its checksum is {}, but {} says {}", path.string(), checksum, kCheckpointManifest,
         expected.checksum);
  }
}

}  // namespace

Checkpoint::Checkpoint(const fs::path& folder) : folder_(folder), manifest_(read_checkpoint_manifest(folder)) {
  for (const auto& [name, summary] : manifest_.files) verify(folder_ / name, summary);
  weights_.emplace(folder_ / kWeightsFile);
  if (manifest_.files.contains(kOptimizerFile)) optimizer_.emplace(folder_ / kOptimizerFile);
  if (manifest_.files.contains(kAverageFile)) average_.emplace(folder_ / kAverageFile);
  state_json_ = read_file(folder_ / kStateFile);
  config_yaml_ = read_file(folder_ / kConfigFile);
}

std::vector<CheckpointEntry> list_checkpoints(const fs::path& checkpoints) {
  std::vector<CheckpointEntry> entries;
  std::error_code error;
  fs::directory_iterator files(checkpoints, error);
  if (error == std::errc::no_such_file_or_directory) return entries;
  if (error) fail("cannot read the folder {}: {}", checkpoints.string(), error.message());
  for (const auto& entry : files) {
    std::error_code vanished;
    const auto step = step_of_folder_name(entry.path().filename().string());
    if (step && entry.is_directory(vanished)) entries.push_back({*step, entry.path()});
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return entries;
}

NewestCheckpoint newest_whole_checkpoint(const fs::path& checkpoints) {
  NewestCheckpoint newest;
  std::vector<CheckpointEntry> entries = list_checkpoints(checkpoints);
  for (; !entries.empty(); entries.pop_back()) {
    const CheckpointEntry& entry = entries.back();
    try {
      Checkpoint checkpoint(entry.folder);
      if (checkpoint.step() != entry.step) {
        fail("{} is damaged: {} says step {}", entry.folder.string(), kCheckpointManifest, checkpoint.step());
      }
      newest.checkpoint = std::move(checkpoint);
      break;
    } catch (const Interrupted&) {
      throw;  // the user's wish, not damage
    } catch (const std::exception& error) {
      warn("skipping the checkpoint of step {}: {}", entry.step, error.what());
      newest.damaged.push_back({entry, error.what()});
    }
  }
  return newest;
}

}  // namespace verbund
