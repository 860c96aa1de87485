// SPDX-License-Identifier: Apache-2.0
// Machine describes the machine that this process runs on: its name, processor, cores and memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"

namespace verbund {

struct Machine {
  std::string host;
  std::string processor;  // "AMD EPYC 9R14"
  int cores = 1;
  uint64_t memory_bytes = 0;
  std::string system;  // "Linux 6.1.0-13-amd64"
};

Machine this_machine();

std::string host_name();
// The machine's identity since it was started, whatever names it has; "" if unknown.
std::string boot_id();
int machine_cores();
// The number of those that the quota of a container (cpu_quota) has time for, rounded up.
int usable_cores();

// The numbers of the cores that this process may run on, at least one: all of the machine, unless mpirun, taskset or a
// container has bound it.
std::vector<int> allowed_cores();

// The number of threads to use when a configuration says `threads` (0: one for each allowed core, within the quota of
// a container).
int thread_count(int64_t threads);

Json to_json(const Machine& machine);

}  // namespace verbund
