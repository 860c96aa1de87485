// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/checkpoint_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/elapsed.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/user.h"
#include "device/buffer.h"
#include "model/parameters.h"

namespace verbund {
namespace {

void verify_file(const fs::path& path, const FileSummary& expected, Progress& progress) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) fail("{} is missing", path.string());
  if (error) throw SystemError(fmt::format("cannot read {}", path.string()), error.value());
  if (size != expected.size) {
    fail("{} is damaged: it has {} bytes, but {} says {}", path.string(), size, kCheckpointManifest, expected.size);
  }
  const std::string checksum = file_checksum(path, &progress);
  if (checksum != expected.checksum) {
    fail("{} is damaged: its checksum is {}, but {} says {}", path.string(), checksum, kCheckpointManifest,
         expected.checksum);
  }
}

// A missing file, or something else in its place, is damage. A file without permission, or one that the disk cannot
// read, is not.
bool is_damage(const SystemError& error) {
  return error.number() == ENOENT || error.number() == ENOTDIR || error.number() == EISDIR;
}

// "It belongs to anna, with the mode 700; this program runs as ben", about the first file or folder that cannot be
// opened.
std::string show_owner(const CheckpointEntry& entry) {
  std::vector<fs::path> places = {entry.folder};
  std::error_code unreadable;
  for (const auto& file : fs::directory_iterator(entry.folder, unreadable)) places.push_back(file.path());
  for (const fs::path& place : places) {
    struct stat status = {};
    const int wanted = place == entry.folder ? R_OK | X_OK : R_OK;
    if (::faccessat(AT_FDCWD, place.c_str(), wanted, AT_EACCESS) == 0 || ::stat(place.c_str(), &status) != 0) continue;
    return fmt::format(" {} belongs to {}, with the mode {:o}; this program runs as {}.", place.string(),
                       user_name(status.st_uid), status.st_mode & 07777, user_name(::geteuid()));
  }
  return "";
}

}  // namespace

Checkpoint::Checkpoint(const fs::path& folder, CheckpointParts parts)
    : folder_(folder), parts_(parts), manifest_(read_checkpoint_manifest(folder)) {
  verify_files();
  const auto open = [&](const char* name, std::optional<SafetensorsFile>& file) {
    if (opens(name)) file.emplace(folder_ / name);
  };
  open(kWeightsFile, weights_);
  open(kOptimizerFile, optimizer_);
  open(kAverageFile, average_);
  open(kExchangeFile, exchange_);
  open(kOuterFile, outer_);
  state_json_ = read_file(folder_ / kStateFile);
  config_yaml_ = read_file(folder_ / kConfigFile);
  check_steps();
}

bool Checkpoint::opens(const std::string& file) const {
  if (!manifest_.files.contains(file)) return false;
  if (parts_ == CheckpointParts::kAll || file == kStateFile || file == kConfigFile) return true;
  return file == (manifest_.files.contains(kAverageFile) ? kAverageFile : kWeightsFile);
}

void Checkpoint::verify_files() const {
  std::map<std::string, FileSummary> files = manifest_.files;
  std::erase_if(files, [&](const auto& file) { return !opens(file.first); });
  uint64_t bytes = 0;
  for (const auto& [name, summary] : files) bytes += summary.size;
  Progress progress("verify " + folder_.filename().string() + ",", bytes, "bytes");
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [name, summary] : files) verify_file(folder_ / name, summary, progress);
  debug("checkpoint {}: {} bytes verified in {:.3f} s", folder_.string(), bytes, seconds_since(start));
}

// The folder's name, manifest and state must have the same step; otherwise they do not belong together.
void Checkpoint::check_steps() const {
  const auto named = step_of_folder_name(folder_.filename().string());
  if (named && *named != step()) {
    fail("{} is damaged: {} says step {}", folder_.string(), kCheckpointManifest, step());
  }
  const int64_t state_step = use_state([&](const Json& state) { return state.value("step", step()); });
  if (state_step != step()) {
    fail("{} is damaged: {} says step {}, but {} says {}", folder_.string(), kStateFile, state_step,
         kCheckpointManifest, step());
  }
}

std::vector<CheckpointEntry> list_checkpoints(const fs::path& checkpoints) {
  std::vector<CheckpointEntry> entries;
  std::error_code error;
  if (fs::status(checkpoints, error).type() == fs::file_type::not_found) return entries;
  for (const fs::path& path : list_folder(checkpoints)) {
    std::error_code vanished;
    const auto step = step_of_folder_name(path.filename().string());
    if (step && fs::is_directory(path, vanished)) entries.push_back({*step, path});
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return entries;
}

std::optional<fs::path> follow_checkpoint_link(const fs::path& path) {
  for (int tries = 0; tries < 3; ++tries) {
    std::error_code error;
    fs::path folder = fs::canonical(path, error);
    if (!error) return folder;
  }
  return std::nullopt;
}

NewestCheckpoint newest_whole_checkpoint(const fs::path& checkpoints, int64_t end, CheckpointParts parts) {
  NewestCheckpoint newest;
  bool pruned = false;  // by a training that runs, which has saved a newer one
  const auto skip = [&](const CheckpointEntry& entry, const std::exception& error) {
    if (!fs::exists(entry.folder)) {
      pruned = true;
      return;
    }
    warn("skipping the checkpoint of step {}: {}", entry.step, error.what());
    newest.damaged.push_back({entry, error.what()});
  };
  std::vector<CheckpointEntry> entries = list_checkpoints(checkpoints);
  debug("checkpoints: {} in {}", entries.size(), checkpoints.string());
  std::erase_if(entries, [&](const CheckpointEntry& entry) { return entry.step >= end; });
  for (; !entries.empty(); entries.pop_back()) {
    const CheckpointEntry& entry = entries.back();
    try {
      newest.checkpoint.emplace(entry.folder, parts);
      debug("checkpoint {}: chosen, the newest whole one", entry.folder.string());
      break;
    } catch (const Interrupted&) {
      throw;  // the user's request, not damage
    } catch (const SystemError& error) {
      if (!is_damage(error)) {
        fail(
            "{}.{} The checkpoint of step {} may be whole, so it is neither skipped nor deleted. Make it readable, or "
            "move it away to use the previous one.",
            error.what(), show_owner(entry), entry.step);
      }
      skip(entry, error);
    } catch (const std::exception& error) {
      skip(entry, error);
    }
  }
  if (pruned && !newest.checkpoint) return newest_whole_checkpoint(checkpoints, end, parts);
  return newest;
}

void load_weights(const SafetensorsFile& file, const ParameterTable& table, Buffer& values) {
  for (const Parameter& p : table.all()) {
    const TensorView& tensor = file.at(p.name);
    if (tensor.shape != p.shape) {
      fail("{}: {} is {}, but the configuration needs {}. To train a model of another shape, begin a new run.",
           file.path().string(), p.name, show_shape(tensor.shape), show_shape(p.shape));
    }
  }
  change_on_host(values, [&](std::span<float> host) {
    for (const Parameter& p : table.all()) {
      copy_tensor(file.at(p.name), host.subspan(static_cast<size_t>(p.offset), static_cast<size_t>(p.size)));
    }
  });
}

}  // namespace verbund
