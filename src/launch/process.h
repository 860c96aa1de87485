// A program that runs beside this one, in a process group of its own, with what it prints
// readable here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace verbund {

class Process {
 public:
  // Starts it with no input and with stdout and stderr in one stream. It gets SIGTERM if this process
  // dies. A program that cannot be run prints why, and ends with exit code 127.
  explicit Process(const std::vector<std::string>& command);
  ~Process();  // kills its group if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // What it has printed since the last call; waits at most `patience` for something to come.
  std::string read(std::chrono::milliseconds patience);

  // As a shell gives it: 128 + n if signal n ended it. Nothing while it runs.
  std::optional<int> exit_code();

  void signal(int number) const;        // to the process
  void signal_group(int number) const;  // and to those it started in its group

 private:
  pid_t id_ = -1;
  int output_ = -1;
  bool at_end_ = false;
  std::optional<int> exit_code_;
};

// From now on, what a child leaves behind when it dies becomes a child of this process, so that
// `end_leftover_children` finds it.
void adopt_orphans();

// Gives all children `grace` to end, then kills those that have not.
void end_leftover_children(std::chrono::milliseconds grace);

}  // namespace verbund
