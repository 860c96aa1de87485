// What a run folder holds: its files with what each is for, its starts, how far it came, what was best, its
// checkpoints. For `verbund inspect`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace verbund {

struct RunContents {
  struct File {
    std::string name;  // of a file, or of a folder with all in it: "steps/"
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
  std::string id;                   // "" without a run.json
  nlohmann::ordered_json imported;  // of a run of another program; else null
  bool running = false;             // a training is at work there
  std::vector<File> files;          // in the order of names
  uint64_t bytes = 0;               // of all, folders' entries too: as `du -b` counts
  uint64_t folder_bytes = 0;        // of it: the entries of folders and links
  int64_t start_count = 0;
  std::vector<Start> starts;         // as many as run.json keeps
  std::optional<int64_t> last_step;  // of metrics.jsonl
  std::string last_time;
  size_t logged = 0, evaluations = 0;
  std::vector<Best> best;
  std::vector<Checkpoint> checkpoints;
  std::vector<std::string> notes;  // what could not be read
};

// Whether this looks like a run folder.
bool is_run_folder(const std::filesystem::path& folder);

// Any state of it: running, killed, imported, of an older program. A damaged file is a note.
RunContents read_run_contents(const std::filesystem::path& folder);

std::string show_run_contents(const RunContents& contents);
nlohmann::ordered_json to_json(const RunContents& contents);

}  // namespace verbund
