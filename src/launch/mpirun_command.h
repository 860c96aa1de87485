// The command line of mpirun for a job: the flags that a training over several hosts needs,
// each with its reason.
#pragma once

#include <string>
#include <vector>

#include "launch/host_list.h"

namespace verbund {

// By which a worker knows that its job was started again: "2 worker 1 on b was killed by signal 9 (Killed)".
constexpr const char* kRestartVariable = "VERBUND_RESTART";

struct JobSettings {
  std::string mpirun = "mpirun";
  std::string interface;                 // of the network; "": Open MPI chooses
  std::string rsh_agent;                 // runs a command on a host; "": ssh
  std::vector<std::string> mpirun_args;  // the user's own; a parameter that is set here is not set by us
  std::vector<std::string> environment;  // names of variables that the workers get
  std::string folder;                    // where the workers start
  std::vector<std::string> program;      // path and arguments
  std::string terminal;                  // what workers are told of where they write, see core/terminal.h; "": nothing
  std::string restart;                   // its number and why, for the run's history; "": the first start
  bool as_root = false;                  // mpirun refuses root unless told otherwise
  bool share_cores = false;              // more workers than cores: who waits lets others work
};

std::vector<std::string> mpirun_command(const JobSettings& settings, const std::vector<Host>& hosts);

// The names of those variables ("NAME=value") that are about the program or its threads.
std::vector<std::string> passed_variables(const char* const* environment);

// The words of a command, split at blanks.
std::vector<std::string> split_words(const std::string& text);

// As a line that a shell understands.
std::string shell_line(const std::vector<std::string>& command);

}  // namespace verbund
