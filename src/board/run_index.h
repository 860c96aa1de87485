// SPDX-License-Identifier: Apache-2.0
// RunIndex finds the runs below a folder and keeps them watched. Requests name a run; a name is looked up here and
// never becomes a path.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "board/watched_run.h"

namespace verbund {

// A run with the lock that protects it. Whoever reads it holds the lock.
struct SharedRun {
  std::mutex mutex;
  WatchedRun run;

  SharedRun(fs::path folder, std::string name) : run(std::move(folder), std::move(name)) {}
};

// Whether a link in the folder, or the folder itself, leads to a place that is not below `root`. Such a run is not
// read.
bool leads_outside(const fs::path& folder, const fs::path& root);

class RunIndex {
 public:
  static constexpr int kDepth = 4;  // of folders within folders
  static constexpr size_t kMaxRuns = 2000;

  explicit RunIndex(const fs::path& root);

  const fs::path& root() const { return root_; }

  // Refreshes what is older than `age` seconds: the list of runs, and each run.
  void refresh(double now, double age = 0.5);

  std::vector<std::shared_ptr<SharedRun>> runs() const;  // by name
  // Null if there is none of this name.
  std::shared_ptr<SharedRun> find(const std::string& name) const;
  std::vector<std::string> refused() const;  // runs with a link that leads outside

 private:
  void scan();
  void scan(const fs::path& folder, int depth, std::map<std::string, std::shared_ptr<SharedRun>>& found);

  fs::path root_;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::string, std::shared_ptr<SharedRun>> runs_;
  std::vector<std::string> refused_;
  double scanned_ = -1e18, refreshed_ = -1e18;
};

}  // namespace verbund
