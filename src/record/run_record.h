// SPDX-License-Identifier: Apache-2.0
// RunRecord writes run.json: every start and stop of a run with its reason, the program, the command and the machines,
// and the dataset with its statistics. See docs/formats.md.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/json.h"

namespace verbund {

// Key of run.json: the model whose weights the run began with.
inline constexpr const char* kStartedFrom = "started_from";

class RunRecord {
 public:
  // The description of a start.
  struct Start {
    std::string program;               // version and commit
    std::vector<std::string> command;  // as it was given
    std::string mpi;                   // "Open MPI v4.1.4"
    int64_t step = 0;
    std::vector<std::string> differences;  // from the start before, which --resume force or best has accepted
    Json hosts;                            // see describe_hosts
    Json dataset;                          // see describe_datasets
    Json started_from = nullptr;           // see describe_model; null: random weights, or a resumed run
  };

  // Reads the record of earlier starts, or begins a new one in memory.
  explicit RunRecord(const std::filesystem::path& folder);

  const std::string& id() const { return id_; }  // of the run, the same through all its starts
  int64_t starts() const;                        // so far

  // Notes first that an earlier start without a stop was killed.
  void start(const Start& start);
  // The first reason counts. Any thread may call it; a failure is only a warning.
  void stop(const std::string& reason);

 private:
  void write() const;

  std::filesystem::path folder_;
  std::string id_;
  Json json_;
  std::mutex mutex_;
  bool running_ = false;
};

// A record without starts, for a run with a new id.
Json new_run_record();
void write_run_record(const std::filesystem::path& folder, const Json& record);

// Reads the record; fails if it is damaged or of another version.
Json read_run_record(const std::filesystem::path& folder);

}  // namespace verbund
