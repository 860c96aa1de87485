// SPDX-License-Identifier: Apache-2.0
// ChildProcess runs a program or a function beside this process, reads what it prints and tells how it ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace verbund {

// Destination of a child's stderr.
enum class ChildErrors {
  kWithOutput,  // into one stream with its stdout
  kApart,       // into a stream of its own: read_errors()
  kInherited    // where that of this process goes
};

struct ChildOptions {
  std::string input;                                    // on its stdin
  int input_descriptor = -1;                            // instead: an open file, read from its position on
  std::optional<std::vector<std::string>> environment;  // "NAME=value"; nothing: that of this process
  bool own_group = true;                                // false: the terminal's Ctrl-C and Ctrl-Z reach it, too
  ChildErrors errors = ChildErrors::kWithOutput;
  bool outlives = false;  // it has a session of its own, and neither this object nor this process ends it

  // Limits, which its own children inherit; 0: none. With one of them, it never leaves a core file.
  uint64_t memory = 0;  // bytes of address space
  std::chrono::seconds processor_time{0};
};

class ChildProcess {
 public:
  // Both start a process whose stdout and stderr are one stream, read below, unless told otherwise. It gets SIGTERM if
  // this process dies, unless it outlives it. A program that cannot be run prints why, and ends with kCannotRun.
  explicit ChildProcess(const std::vector<std::string>& command, const ChildOptions& options = {});
  // The function runs in a copy of this process and returns the exit code. An exception is printed; the code is 1.
  explicit ChildProcess(const std::function<int()>& function, const ChildOptions& options = {});
  ~ChildProcess();  // kills it, with its group, if it still runs and does not outlive this
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  static constexpr int kCannotRun = 127;

  // Output since the last call; waits at most `patience` for something to come, on stderr too.
  std::string read(std::chrono::milliseconds patience);
  std::string read_errors();               // without waiting; only if they are kApart
  bool at_end() const { return at_end_; }  // it has closed its output, and all of it was read

  // The exit code as a shell gives it: 128 + n if signal n ended it. Nothing while it runs.
  std::optional<int> exit_code();
  int wait();  // until it ends, for its exit code

  void signal(int number) const;        // to the process
  void signal_group(int number) const;  // and to those it started in its group, if that is its own

 private:
  void note_end(int status);
  void close_streams() const;

  bool own_group_, outlives_;
  pid_t id_ = -1;
  int output_ = -1;
  int errors_ = -1;  // -1: one stream
  bool at_end_ = false;
  bool errors_at_end_ = true;
  std::optional<int> exit_code_;
};

struct CommandEnd {
  int exit_code = 0;
  std::string output;
};

// Runs a command to its end. After `patience` it is killed, and the exit code is that of the signal, 137.
CommandEnd run_command(const std::vector<std::string>& command, std::chrono::seconds patience);

// From now on, what a child leaves behind when it dies becomes a child of this process, so that
// `end_leftover_children` finds it.
void adopt_orphans();

// Gives all children `grace` to end, then kills those that have not. It leaves alone those that outlive their parents.
void end_leftover_children(std::chrono::milliseconds grace);

}  // namespace verbund
