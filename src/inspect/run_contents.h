// SPDX-License-Identifier: Apache-2.0
// RunContents describes a run folder: its files and their purposes, its starts, its progress, its best values and its
// checkpoints. For `verbund inspect`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"

namespace verbund {

struct RunContents {
  struct File {
    std::string name;  // of a file, or of a folder with all its files: "steps/"
    std::string purpose;
    uint64_t bytes = 0;
    uint64_t files = 1;
  };
  struct Start {
    std::string time, host_list, end, end_time;  // "": not known
    int64_t step = 0;
    size_t workers = 0;  // 0: not known
  };
  struct Best {
    std::string metric;  // "dev_loss"
    double value = 0;
    int64_t step = 0;
  };
  struct Checkpoint {
    std::string name;
    std::vector<std::string> links;  // best, last
    uint64_t bytes = 0;
  };

  std::filesystem::path folder;
  std::string id;             // "" without a run.json
  Json imported;              // of a run of another program, else null
  bool running = false;       // a training process holds the folder
  std::vector<File> files;    // by name
  uint64_t bytes = 0;         // of all, with the entries of folders, as `du -b` counts
  uint64_t folder_bytes = 0;  // of these: the entries of folders and links
  int64_t start_count = 0;
  std::vector<Start> starts;         // as many as run.json keeps
  std::optional<int64_t> last_step;  // of metrics.jsonl
  std::string last_time;
  size_t logged = 0, evaluations = 0;
  std::vector<Best> best;
  std::vector<Checkpoint> checkpoints;
  std::vector<std::string> notes;  // problems: what could not be read
};

// Reads a run in any state: running, killed, imported, of an older program. A damaged file is a note.
RunContents read_run_contents(const std::filesystem::path& folder);

}  // namespace verbund
