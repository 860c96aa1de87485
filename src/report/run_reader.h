// SPDX-License-Identifier: Apache-2.0
// RunReader reads a run folder in any state, again and again: metrics, step records and evaluations that it has read
// before are not read again. RunReaders keeps the readers of the runs that were read last.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_data.h"

namespace verbund {

// A file that grows: tells it from another one under the same path.
class FileSeen {
 public:
  // Whether the file, which has these bytes now, begins with those that were noted.
  bool grows_to(const fs::path& path, std::string_view bytes);
  void note(std::string_view bytes);
  size_t size() const { return size_; }  // that was noted

 private:
  uint64_t device_ = 0, inode_ = 0;
  size_t size_ = 0;
  std::string end_;  // the last bytes
};

class RunReader {
 public:
  explicit RunReader(fs::path folder) : folder_(std::move(folder)) {}

  // As read_run: what it returns does not depend on what was read before.
  RunData read();

 private:
  struct RankSeen {
    FileSeen file;
    std::vector<Interval> kept;
  };
  struct LossesSeen {
    fs::file_time_type changed;
    SentenceLosses losses;
  };

  void read_metrics(RunData& run);
  void read_steps(RunData& run);
  void read_rank(RunData& run, int rank, const fs::path& path);
  void read_evaluations(RunData& run);

  const fs::path folder_;
  FileSeen metrics_file_;
  MetricsReader metrics_;
  std::map<int, RankSeen> ranks_;
  std::map<fs::path, LossesSeen> evaluations_;  // those that were chosen
};

class RunReaders {
 public:
  static constexpr size_t kMax = 4;  // each has the metrics of its run in memory

  RunData read(const fs::path& folder);  // by any thread

 private:
  struct One {
    fs::path folder;
    std::mutex mutex;  // of the reader
    RunReader reader;

    explicit One(const fs::path& run) : folder(run), reader(run) {}
  };

  std::mutex mutex_;
  std::vector<std::shared_ptr<One>> readers_;  // the one that was used last is last
};

}  // namespace verbund
