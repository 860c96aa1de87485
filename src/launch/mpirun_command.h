// SPDX-License-Identifier: Apache-2.0
// The mpirun command line of a job: the flags that training over several hosts needs, each with its reason.
#pragma once

#include <string>
#include <vector>

#include "launch/host_list.h"
#include "launch/job_settings.h"

namespace verbund {

struct MpirunSettings {
  std::string program = "mpirun";
  std::string rsh_agent;          // runs a command on a host; "": ssh
  std::vector<std::string> args;  // the user's own; a parameter set here is not set by us
  bool as_root = false;           // mpirun refuses root unless told otherwise
};

std::vector<std::string> mpirun_command(const MpirunSettings& mpirun, const JobSettings& job,
                                        const std::vector<Host>& hosts);

}  // namespace verbund
