// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/checkpoint_store.h"

#include <algorithm>
#include <utility>

#include "checkpoint/checkpoint_writer.h"
#include "core/error.h"
#include "core/human.h"
#include "core/log.h"

namespace verbund {
namespace {

// Deleting is housekeeping: a failure is a warning, and training continues.
void remove_or_warn(const fs::path& folder) {
  try {
    remove_checkpoint(folder);
  } catch (const std::exception& error) {
    warn("cannot delete the checkpoint {}: {}", folder.string(), error.what());
  }
}

std::string free_space(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return error ? "an unknown amount" : human_bytes(space.available);
}

}  // namespace

std::vector<int64_t> outdated_steps(const std::vector<int64_t>& steps, int64_t saved, const CheckpointConfig& config,
                                    const std::set<int64_t>& named) {
  std::vector<int64_t> outdated;
  const auto end = std::upper_bound(steps.begin(), steps.end(), saved);
  const auto last = end - std::min<int64_t>(std::max<int64_t>(config.keep_last, 1), end - steps.begin());
  for (auto step = steps.begin(); step != last; ++step) {
    const bool milestone = config.keep_every > 0 && *step % config.keep_every == 0;
    if (!milestone && !named.contains(*step)) outdated.push_back(*step);
  }
  return outdated;
}

CheckpointStore::CheckpointStore(fs::path folder, const CheckpointConfig& config)
    : folder_(std::move(folder)), config_(config) {
  make_folder(folder_);
  sync_folder(folder_.parent_path());
  remove_leftovers(folder_);
  remove_dangling_links(folder_);
  // A crash may have happened between a checkpoint and its link.
  if (const auto entries = list(); !entries.empty()) set_checkpoint_link(folder_, kLastLink, entries.back().step);
}

// A sentence about the newest checkpoint that is there; "" if the folder cannot be read.
std::string CheckpointStore::newest_text() const try {
  const std::vector<CheckpointEntry> all = list();
  if (all.empty()) return " There is no earlier checkpoint.";
  return fmt::format(" The newest checkpoint is {}.", step_folder_name(all.back().step));
} catch (const Error&) {
  return "";
}

fs::path CheckpointStore::save(const CheckpointSnapshot& snapshot) {
  fs::path path = folder_ / step_folder_name(snapshot.step);
  try {
    write_checkpoint(path, snapshot);
  } catch (const std::exception& error) {
    fail("cannot save the checkpoint of step {}: {}\nIt needs {}; {} are free in {}.{}", snapshot.step, error.what(),
         human_bytes(snapshot.tensor_bytes()), free_space(folder_), folder_.string(), newest_text());
  }
  try {
    settle(snapshot.step);
  } catch (const std::exception& error) {
    warn("{} is saved, but outdated checkpoints could not be removed: {}", path.string(), error.what());
  }
  return path;
}

// After a save: sets the links to it, and deletes outdated checkpoints.
void CheckpointStore::settle(int64_t saved) {
  const std::lock_guard lock(mutex_);
  set_checkpoint_link(folder_, kLastLink, saved);
  std::erase_if(awaited_links_, [&](const auto& awaited) {
    const auto& [link, step] = awaited;
    if (step == saved) set_checkpoint_link(folder_, link, step);
    return step == saved;
  });
  prune(saved);
}

void CheckpointStore::prune(int64_t saved) {
  std::set<int64_t> kept = linked_steps(folder_);
  for (const auto& [link, step] : awaited_links_) kept.insert(step);
  std::vector<int64_t> steps;
  for (const CheckpointEntry& entry : list()) steps.push_back(entry.step);
  for (const int64_t step : outdated_steps(steps, saved, config_, kept)) {
    debug("checkpoint of step {}: removed, it is outdated after step {}", step, saved);
    remove_or_warn(folder_ / step_folder_name(step));
  }
}

void CheckpointStore::name(const std::string& link, int64_t step) {
  const std::lock_guard lock(mutex_);
  awaited_links_.erase(link);
  if (fs::exists(folder_ / step_folder_name(step))) {
    set_checkpoint_link(folder_, link, step);
  } else {
    awaited_links_[link] = step;
  }
}

void CheckpointStore::drop_after(int64_t step) {
  const std::lock_guard lock(mutex_);
  for (const CheckpointEntry& entry : list()) {
    if (entry.step <= step) continue;
    log("deleting {}: training resumes from step {}", entry.folder.string(), step);
    remove_or_warn(entry.folder);
  }
  remove_dangling_links(folder_);
  if (const auto entries = list(); !entries.empty()) set_checkpoint_link(folder_, kLastLink, entries.back().step);
}

}  // namespace verbund
