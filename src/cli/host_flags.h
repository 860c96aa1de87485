// The flags that say which hosts take how many workers, for the commands that start them.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "launch/host_list.h"
#include "launch/mpirun_command.h"

namespace verbund {

struct HostFlags {
  int workers = 0;         // 0: all that the hosts take
  std::string list, file;  // -H, --hostfile
  JobSettings job;         // --nic, --rsh

  void declare(Options& options);
  bool given() const { return workers > 0 || !list.empty() || !file.empty(); }
  // All hosts named, or this machine with so many workers. Refuses to want more workers than they take.
  std::vector<Host> hosts() const;
  // Fills in what a job has from this process: folder, user, environment, and whether workers share cores.
  void complete_job(const std::vector<Host>& used);
};

// Are there more workers than cores on a host? Known of this machine alone.
bool is_crowded(const Host& host);

}  // namespace verbund
