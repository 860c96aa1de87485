// SPDX-License-Identifier: Apache-2.0
// SlurmAllocation is what Slurm has given to a job: hosts, and the number of workers on each, from Slurm's variables.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/host_list.h"

namespace verbund {

struct SlurmAllocation {
  std::string job;  // SLURM_JOB_ID
  std::vector<Host> hosts;
  std::string cores;  // SLURM_CPUS_PER_TASK; "": not asked for
  int gpus = 0;       // of each host; 0: none, or not known
};

// The value of an environment variable; "" if it is not set.
using Variable = std::function<std::string(const char* name)>;
// The host names in Slurm's notation: "node[1-2]" -> node1, node2.
using ExpandHosts = std::function<std::vector<std::string>(const std::string& list)>;

// Where the job asked for tasks (--ntasks, --ntasks-per-node), each is a worker. Else a host has one worker per GPU, or
// just one. A usage error outside of an allocation.
SlurmAllocation read_allocation(const Variable& variable, const ExpandHosts& expand);

// The allocation around this process. `scontrol` expands its hosts.
SlurmAllocation current_allocation();

// A usage error in one of several tasks that srun started without PMIx: each would do the whole work alone.
void refuse_tasks_without_pmix(const Variable& variable);

// The variables of this process.
std::string environment_variable(const char* name);

// "2(x3),1" -> 2, 2, 2, 1
std::vector<int> parse_tasks_per_node(const std::string& text);

}  // namespace verbund
