// run.json: when, where and by what a run was made. Every start and stop is in it, with its reason, what was
// started and the machines it ran on; and the dataset with its statistics. See docs/formats.md.
#pragma once

#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace verbund {

class RunRecord {
 public:
  using Json = nlohmann::ordered_json;

  // What a start tells of itself.
  struct Start {
    std::string program;               // version and commit
    std::vector<std::string> command;  // as it was given
    std::string mpi;                   // "Open MPI v4.1.4"
    int64_t step = 0;
    Json hosts;    // see describe_hosts
    Json dataset;  // see describe_dataset
  };

  // Reads what an earlier start has left, or begins a new record in memory.
  explicit RunRecord(const std::filesystem::path& folder);

  const std::string& id() const { return id_; }  // of the run, the same through all its starts
  int64_t starts() const;                        // so far

  // An earlier start that has no stop was killed; that is noted now.
  void start(const Start& start);
  // The first reason counts. May be called by any thread; never fails, but warns.
  void stop(const std::string& reason);

 private:
  void write() const;

  std::filesystem::path folder_;
  std::string id_;
  Json json_;
  std::mutex mutex_;
  bool running_ = false;
};

// A record without starts, of a run with a new id.
RunRecord::Json new_run_record();
void write_run_record(const std::filesystem::path& folder, const RunRecord::Json& record);

// The record as it is on disk; fails if it is damaged or of another version.
RunRecord::Json read_run_record(const std::filesystem::path& folder);

// Path, checksum, how it was made, and what was counted: as far as the dataset tells, for training needs only the
// first.
RunRecord::Json describe_dataset(const std::filesystem::path& folder, const std::string& checksum);

}  // namespace verbund
