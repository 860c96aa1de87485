#include "train/run_keeper.h"

#include "checkpoint/checkpoint_writer.h"
#include "core/error.h"

namespace verbund {

FolderKeeper::FolderKeeper(const fs::path& folder, bool anew, const CheckpointConfig& config)
    : folder_(folder, anew), record_(folder_.path()), store_(folder_.checkpoints(), config), saver_(store_) {}

const Checkpoint* FolderKeeper::find_newest(int64_t end) {
  newest_ = store_.newest_whole(end);
  if (newest_.checkpoint) return &*newest_.checkpoint;
  if (newest_.damaged.empty()) return nullptr;
  // To start anew over what may be weeks of work is not for us to decide.
  std::string list;
  for (const DamagedCheckpoint& damaged : newest_.damaged) {
    list += fmt::format("\n  {}: {}", damaged.entry.folder.string(), damaged.reason);
  }
  fail("all checkpoints of this run are damaged:{}\nTo start anew, delete {} or give another --run.", list,
       store_.folder().string());
}

const Checkpoint* FolderKeeper::find_best() {
  const fs::path best = store_.folder() / "best";
  if (!fs::exists(best))
    fail("{} has no best checkpoint to go back to: no evaluation was made", store_.folder().string());
  newest_ = {};
  newest_.checkpoint.emplace(fs::canonical(best));
  return &*newest_.checkpoint;
}

void FolderKeeper::begin_at(int64_t step, const std::map<std::string, int64_t>& links) {
  if (newest_.checkpoint) store_.drop_after(step);
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
    return;  // there is no place for it, and the reason is just that
  }
  record_.stop(reason);
}

CheckpointOrigin FolderKeeper::origin() const {
  return {record_.id(), fs::absolute(folder_.path()).lexically_normal().string()};
}

std::string FolderKeeper::model() const {
  return (store_.folder() / (fs::exists(store_.folder() / "best") ? "best" : kLastLink)).string();
}

void FolderKeeper::write_description(const std::string& config_yaml, const Dataset& dataset) const {
  write_file(folder_.config(), config_yaml);
  write_file(folder_.path() / kSourceVocabulary, read_file(dataset.source_model()));
  write_file(folder_.path() / kTargetVocabulary, read_file(dataset.target_model()));
}

}  // namespace verbund
