// SPDX-License-Identifier: Apache-2.0
// Parsers of srun's output: the lines of each worker, and what srun and slurmstepd tell about lost workers and hosts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/starter.h"

namespace verbund {

// LabelledOutput splits the output of `srun --label`, in which each line of a worker begins with its rank: "03: text".
// stdout and stderr are two streams. srun cuts lines after 1,024 bytes; they are joined again.
class LabelledOutput : public WorkerLines {
 public:
  explicit LabelledOutput(Sink sink) : sink_(std::move(sink)) {}

  void add(std::string_view bytes, bool is_stdout) override;
  void finish() override;

 private:
  void take_line(std::string_view line, bool is_stdout);

  Sink sink_;
  std::string pending_[2];                                 // the last, unfinished line of stderr and of stdout
  std::map<std::pair<int, bool>, std::string> beginning_;  // of a line that was cut, by rank and is_stdout
};

// SrunNotices reads the messages of srun and of slurmstepd, its daemon on each host, each of which is one line:
//
//   srun: error: host-b: tasks 2-3: Exited with exit code 3
//   srun: error: host-b: task 2: Killed
//   slurmstepd: error: *** STEP 7.0 ON host-a CANCELLED AT 2026-11-18T05:09:19 DUE TO TIME LIMIT ***
//
// When a worker fails, Slurm kills the others, and srun reports those as well. So the first report counts, unless a
// later one tells of a worker that failed for good (exit code 1 or 2).
class SrunNotices : public StarterNotices {
 public:
  explicit SrunNotices(std::vector<Host> hosts) : hosts_(std::move(hosts)) {}

  std::vector<std::string> add(const std::string& line) override;
  std::vector<std::string> finish() override { return {}; }
  bool was_terminated(int, bool) const override { return false; }  // srun passes signals on to its workers
  bool was_asked_to_stop() const override { return asked_to_stop_; }

 private:
  bool parse_end(std::string_view line);

  std::vector<Host> hosts_;
  bool asked_to_stop_ = false;
};

}  // namespace verbund
