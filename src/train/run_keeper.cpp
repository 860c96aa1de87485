// SPDX-License-Identifier: Apache-2.0
#include "train/run_keeper.h"

#include <chrono>
#include <thread>

#include "checkpoint/checkpoint_format.h"
#include "checkpoint/checkpoint_reader.h"
#include "checkpoint/checkpoint_writer.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "train/request_checks.h"

namespace verbund {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr const char* kConfig = "config.yaml";
constexpr const char* kCheckpoints = "checkpoints";

// False if another trainer holds the lock for longer than `patience`. One that has been asked to stop holds it until it
// has saved.
bool lock_within(FolderLock& lock, const fs::path& path, std::chrono::seconds patience) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + patience;
  for (bool said = false; !lock.try_lock(); said = true) {
    if (Clock::now() >= end) return false;
    if (!said) {
      log("{} is in use by another `verbund train`: waiting up to {} s for its end", path.string(), patience.count());
    }
    check_interrupt();
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

}  // namespace

void check_run_folder(const fs::path& path) {
  if (!fs::exists(path)) return;
  expect_folder(path, "a run");
  if (!fs::is_empty(path) && !fs::exists(path / kConfig) && !fs::exists(path / kCheckpoints)) {
    fail("--run {} contains other files than those of a run. Give a new or empty folder.", path.string());
  }
}

void check_continued_run(const fs::path& path, const std::string& host) {
  if (fs::exists(path / "run.json")) return;
  fail(
      "{} has no run in {}, although this job has trained it before the restart: its checkpoints are on the host that "
      "was the first one then, or the storage is not shared or not mounted. Once that host is back, the same command "
      "with it as the first host resumes the run. To restart on any host, give a --run folder that all of them share.",
      host, fs::absolute(path).lexically_normal().string());
}

RunFolder::RunFolder(const fs::path& path, bool is_new, std::chrono::seconds patience) : path_(path) {
  check_run_folder(path);
  make_folder(path);
  lock_ = std::make_unique<FolderLock>(path);
  if (!lock_within(*lock_, path, patience)) {
    fail("{} is in use by another `verbund train`. Wait for it, or give another --run.", path.string());
  }
  if (is_new && !list_checkpoints(checkpoints()).empty()) {
    fail("{} contains an earlier run. Give another --run, or delete it.", path.string());
  }
}

fs::path RunFolder::checkpoints() const { return path_ / kCheckpoints; }
fs::path RunFolder::config() const { return path_ / kConfig; }

void RunFolder::check_in_place() const {
  if (lock_->holds(path_)) return;
  const fs::path place = lock_->place();
  if (place.empty()) {
    fail("the run folder {} was removed during the run. The run ends here; what it had not saved is lost",
         path_.string());
  }
  fail(
      "the run folder {} was moved to {} during the run. The run ends here; resume it from its newest checkpoint with "
      "--run {}, or with the same command once the folder is back.",
      path_.string(), place.string(), place.string());
}

FolderKeeper::FolderKeeper(const fs::path& folder, bool is_new, const CheckpointConfig& config)
    : folder_(folder, is_new), record_(folder_.path()), store_(folder_.checkpoints(), config), saver_(store_) {}

const Checkpoint* FolderKeeper::find_newest(int64_t end) {
  newest_ = store_.newest_whole(end);
  if (newest_.checkpoint) return &*newest_.checkpoint;
  if (newest_.damaged.empty()) return nullptr;
  // Starting from scratch could overwrite weeks of work: the user decides.
  std::string list;
  for (const DamagedCheckpoint& damaged : newest_.damaged) {
    list += fmt::format("\n  {}: {}", damaged.entry.folder.string(), damaged.reason);
  }
  fail("all checkpoints of this run are damaged:{}\nTo start from scratch, delete {} or give another --run.", list,
       store_.folder().string());
}

const Checkpoint* FolderKeeper::find_best() {
  const fs::path best = store_.folder() / "best";
  std::error_code error;
  if (!fs::exists(best, error)) fail("{} has no best checkpoint: no evaluation named one", store_.folder().string());
  newest_ = {};
  newest_.checkpoint.emplace(fs::canonical(best));
  return &*newest_.checkpoint;
}

void FolderKeeper::begin_at(int64_t step, const std::map<std::string, int64_t>& links) {
  if (newest_.checkpoint) store_.drop_after(step);
  newest_ = {};  // its files are mapped no longer, so that their space is free once retention removes them
  for (const auto& [link, named] : links) name(link, named);
}

void FolderKeeper::save(const CheckpointSnapshot& snapshot) {
  folder_.check_in_place();
  saver_.start(snapshot);
}

void FolderKeeper::finish_saving() {
  saver_.finish();
  folder_.check_in_place();
}

void FolderKeeper::record_stop(const std::string& reason) {
  try {
    folder_.check_in_place();
  } catch (const Error&) {
    return;  // the folder is gone, which is the reason
  }
  record_.stop(reason);
}

CheckpointOrigin FolderKeeper::origin() const {
  return {record_.id(), fs::absolute(folder_.path()).lexically_normal().string()};
}

std::string FolderKeeper::model() const {
  std::error_code error;
  return (store_.folder() / (fs::exists(store_.folder() / "best", error) ? "best" : kLastLink)).string();
}

void FolderKeeper::write_description(const std::string& config_yaml, const Dataset& dataset) const {
  write_file(folder_.config(), config_yaml);
  write_file(folder_.path() / kSourceVocabulary, read_file(dataset.source_model()));
  write_file(folder_.path() / kTargetVocabulary, read_file(dataset.target_model()));
}

}  // namespace verbund
