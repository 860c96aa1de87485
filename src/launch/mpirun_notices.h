// What mpirun itself says when a job ends: paragraphs between lines of dashes. Those that only
// tell that a worker or a host is gone are read, not shown: one sentence of ours says it. All others are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/host_list.h"

namespace verbund {

class MpirunNotices {
 public:
  explicit MpirunNotices(std::vector<Host> hosts) : hosts_(std::move(hosts)) {}

  // Takes the next line; returns those that are to be shown now.
  std::vector<std::string> add(const std::string& line);

  // Nothing more comes: returns a paragraph that was begun.
  std::vector<std::string> finish();

  // Why the job ended, as "worker 1 on b was killed by signal 9 (Killed)"; "" if mpirun did not say.
  const std::string& reason() const { return reason_; }

  // That of the worker that ended first, 128 + n if signal n ended it; nothing if mpirun did not say.
  std::optional<int> exit_code() const { return exit_code_; }

  // mpirun could not start a daemon on a host, or lost it.
  bool lost_host() const { return lost_host_; }

  // A worker's program or folder is not there: it never began.
  bool cannot_start() const { return cannot_start_; }

 private:
  bool understand(const std::string& paragraph);
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
