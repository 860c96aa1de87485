// SPDX-License-Identifier: Apache-2.0
#include "board/run_index.h"

#include <algorithm>

#include "core/columns.h"

namespace verbund {
namespace {

constexpr double kSecondsBetweenScans = 2;

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end();
}

bool is_plain_file(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::regular;
}

bool is_run(const fs::path& folder) {
  return is_plain_file(folder / "run.json") || is_plain_file(folder / "metrics.jsonl");
}

}  // namespace

bool leads_outside(const fs::path& folder, const fs::path& root) {
  std::error_code error;
  const fs::path place = fs::canonical(folder, error);
  if (error || !is_below(place, root)) return true;
  for (fs::recursive_directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code trouble;
    if (!entry->is_symlink(trouble)) continue;
    const fs::path target = fs::weakly_canonical(entry->path(), trouble);
    if (trouble || !is_below(target, root)) return true;
  }
  return false;
}

RunIndex::RunIndex(const fs::path& root) : root_(fs::canonical(root)) {}

void RunIndex::refresh(double now, double age) {
  std::vector<std::shared_ptr<SharedRun>> runs;
  {
    const std::lock_guard lock(mutex_);
    if (now - refreshed_ < age) return;
    refreshed_ = now;
    if (now - scanned_ >= kSecondsBetweenScans) {
      scanned_ = now;
      scan();
    }
    for (const auto& [name, run] : runs_) runs.push_back(run);
  }
  for (const auto& run : runs) {
    const std::lock_guard lock(run->mutex);
    run->run.refresh(now);
  }
}

void RunIndex::scan() {
  std::map<std::string, std::shared_ptr<SharedRun>> found;
  refused_.clear();
  scan(root_, 0, found);
  runs_ = std::move(found);
}

void RunIndex::scan(const fs::path& folder, int depth, std::map<std::string, std::shared_ptr<SharedRun>>& found) {
  if (found.size() >= kMaxRuns) return;
  if (is_run(folder)) {
    // DIR itself may be a run.
    const std::string path = depth == 0 ? root_.filename().string() : folder.lexically_relative(root_).string();
    const std::string name = printable(path);
    if (leads_outside(folder, root_)) {
      refused_.push_back(name);
    } else if (const auto known = runs_.find(name); known != runs_.end() && known->second->run.folder() == folder) {
      found.insert(*known);
    } else {
      found.emplace(name, std::make_shared<SharedRun>(folder, name));
    }
    return;
  }
  if (depth == kDepth) return;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code trouble;
    if (entry->path().filename().string().starts_with('.') || !entry->is_directory(trouble)) continue;
    if (entry->is_symlink(trouble)) {  // a link to a run elsewhere is refused; one to a run below DIR is that run
      if (is_run(entry->path()) && leads_outside(entry->path(), root_)) {
        refused_.push_back(printable(entry->path().lexically_relative(root_).string()));
      }
      continue;
    }
    scan(entry->path(), depth + 1, found);
  }
}

std::vector<std::shared_ptr<SharedRun>> RunIndex::runs() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<SharedRun>> list;
  for (const auto& [name, run] : runs_) list.push_back(run);
  return list;
}

std::shared_ptr<SharedRun> RunIndex::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(name);
  return found == runs_.end() ? nullptr : found->second;
}

std::vector<std::string> RunIndex::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace verbund
