// SPDX-License-Identifier: Apache-2.0
// Parsers of mpirun's output: the lines of each worker, and mpirun's own notices about lost workers and hosts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/starter.h"

namespace verbund {

// TaggedOutput splits the output of `mpirun --tag-output` into lines: it is one stream of all workers, in which each
// fragment that a worker wrote begins with a tag such as "[1,3]<stderr>:". Fragments of several workers may share a
// line. A worker's status (core/status.h) is a line like any other.
class TaggedOutput : public WorkerLines {
 public:
  explicit TaggedOutput(Sink sink) : sink_(std::move(sink)) {}

  void add(std::string_view bytes, bool is_stdout = true) override;
  void finish() override;

 private:
  using Source = std::pair<int, bool>;  // rank, is_stdout

  void take_line(std::string_view line, bool complete);
  void end_line(const Source& source);

  Sink sink_;
  std::string pending_;                   // the stream's last, unfinished line
  std::map<Source, std::string> halves_;  // the unfinished line of each source
};

// MpirunNotices reads mpirun's messages at the end of a job: paragraphs between lines of dashes.
class MpirunNotices : public StarterNotices {
 public:
  explicit MpirunNotices(std::vector<Host> hosts) : hosts_(std::move(hosts)) {}

  std::vector<std::string> add(const std::string& line) override;
  std::vector<std::string> finish() override;

  // A terminated mpirun stops its workers and exits with 1 without a message.
  bool was_terminated(int exit_code, bool spoke_last) const override {
    return exit_code == 1 && reason().empty() && !spoke_last;
  }

 private:
  bool parse(const std::string& paragraph);
  std::string worker(int rank) const;

  std::vector<Host> hosts_;
  bool inside_ = false;
  std::vector<std::string> paragraph_;
};

}  // namespace verbund
