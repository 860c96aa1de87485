// SPDX-License-Identifier: Apache-2.0
// JobSettings are what the workers of a job get, whoever starts them: program, folder, environment, network.
#pragma once

#include <string>
#include <vector>

namespace verbund {

// Tells a worker that its job was restarted: "2 worker 1 on b was killed by signal 9 (Killed)".
constexpr const char* kRestartVariable = "VERBUND_RESTART";

// Tells a worker that an earlier start of this job has already done what --resume says.
constexpr const char* kContinueVariable = "VERBUND_CONTINUE";

struct JobSettings {
  std::string interface;                 // of the network; "": Open MPI chooses
  std::vector<std::string> environment;  // names of variables that the workers get
  std::string folder;                    // where the workers start
  std::vector<std::string> program;      // path and arguments
  std::string terminal;                  // describes the terminal to the workers, see core/terminal.h; "": nothing
  std::string restart;                   // number and reason of the restart, for the run's history; "": the first start
  bool continues = false;                // an earlier start has done what --resume says
  std::string verified;                  // notes of verified copies of the dataset (data/verified_note.h), after a loss
  bool share_cores = false;              // more workers than cores: a waiting worker yields its core
};

// The names of the environment variables ("NAME=value") that concern the program or its threads.
std::vector<std::string> passed_variables(const char* const* environment);

// "NAME=value" of the variables that are set for this job alone: the terminal, the restart, NCCL's interface.
std::vector<std::string> own_variables(const JobSettings& settings);

// Checks the list of --nic: each item must be an interface of this machine or a network of it, as 10.0.0.0/24. Open MPI
// would silently use another interface, or none.
void check_interfaces(const std::string& list);

// The words of a command, split at blanks.
std::vector<std::string> split_words(const std::string& text);

}  // namespace verbund
