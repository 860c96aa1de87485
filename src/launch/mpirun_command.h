// SPDX-License-Identifier: Apache-2.0
// The mpirun command line of a job: the flags that training over several hosts needs, each with its reason.
#pragma once

#include <string>
#include <vector>

#include "launch/host_list.h"

namespace verbund {

// Tells a worker that its job was restarted: "2 worker 1 on b was killed by signal 9 (Killed)".
constexpr const char* kRestartVariable = "VERBUND_RESTART";

struct JobSettings {
  std::string mpirun = "mpirun";
  std::string interface;                 // of the network; "": Open MPI chooses
  std::string rsh_agent;                 // runs a command on a host; "": ssh
  std::vector<std::string> mpirun_args;  // the user's own; a parameter set here is not set by us
  std::vector<std::string> environment;  // names of variables that the workers get
  std::string folder;                    // where the workers start
  std::vector<std::string> program;      // path and arguments
  std::string terminal;                  // describes the terminal to the workers, see core/terminal.h; "": nothing
  std::string restart;                   // number and reason of the restart, for the run's history; "": the first start
  bool as_root = false;                  // mpirun refuses root unless told otherwise
  bool share_cores = false;              // more workers than cores: a waiting worker yields its core
};

std::vector<std::string> mpirun_command(const JobSettings& settings, const std::vector<Host>& hosts);

// The names of the environment variables ("NAME=value") that concern the program or its threads.
std::vector<std::string> passed_variables(const char* const* environment);

// The words of a command, split at blanks.
std::vector<std::string> split_words(const std::string& text);

// Checks the list of --nic: each item must be an interface of this machine or a network such as 10.0.0.0/24. Open MPI
// would silently use another interface, or none.
void check_interfaces(const std::string& list);

}  // namespace verbund
