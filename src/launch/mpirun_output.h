// SPDX-License-Identifier: Apache-2.0
// Parsers of mpirun's output: the lines of each worker, and mpirun's own notices about lost workers and hosts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/host_list.h"

namespace verbund {

struct OutputLine {
  static constexpr int kMpirun = -1;

  int rank = kMpirun;  // kMpirun: written by mpirun itself, its daemons or the rsh agent
  bool is_stdout = false;
  std::string text;
};

// TaggedOutput splits the output of `mpirun --tag-output` into lines: it is one stream of all workers, in which each
// fragment that a worker wrote begins with a tag such as "[1,3]<stderr>:". Fragments of several workers may share a
// line. A worker's status (core/status.h) is a line like any other.
class TaggedOutput {
 public:
  using Sink = std::function<void(const OutputLine&)>;

  explicit TaggedOutput(Sink sink) : sink_(std::move(sink)) {}

  void add(std::string_view bytes);

  // The stream has ended: text without a line end becomes a line, too.
  void finish();

 private:
  using Source = std::pair<int, bool>;  // rank, is_stdout

  void take_line(std::string_view line, bool complete);
  void end_line(const Source& source);

  Sink sink_;
  std::string pending_;                   // the stream's last, unfinished line
  std::map<Source, std::string> halves_;  // the unfinished line of each source
};

// MpirunNotices reads mpirun's messages at the end of a job: paragraphs between lines of dashes. A paragraph that only
// reports a lost worker or host is parsed and not shown, because one sentence of ours says it; all others are shown.
class MpirunNotices {
 public:
  explicit MpirunNotices(std::vector<Host> hosts) : hosts_(std::move(hosts)) {}

  // Takes the next line; returns the lines to show now.
  std::vector<std::string> add(const std::string& line);

  // The output has ended: returns an unfinished paragraph.
  std::vector<std::string> finish();

  // Why the job ended, as "worker 1 on b was killed by signal 9 (Killed)"; "" if mpirun did not say.
  const std::string& reason() const { return reason_; }

  // Exit code of the worker that failed first, 128 + n for signal n; nothing if mpirun did not say.
  std::optional<int> exit_code() const { return exit_code_; }

  // mpirun could not start a daemon on a host, or lost it.
  bool lost_host() const { return lost_host_; }

  // A worker's program or folder is missing: it never started.
  bool cannot_start() const { return cannot_start_; }

 private:
  bool parse(const std::string& paragraph);
  std::string worker(int rank) const;

  std::vector<Host> hosts_;
  bool inside_ = false;
  std::vector<std::string> paragraph_;
  std::string reason_;
  std::optional<int> exit_code_;
  bool lost_host_ = false;
  bool cannot_start_ = false;
};

}  // namespace verbund
