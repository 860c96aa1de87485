// SPDX-License-Identifier: Apache-2.0
// HostFlags are the flags that name the hosts and their workers, for the commands that start workers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "doctor/collect.h"
#include "doctor/facts.h"
#include "launch/host_list.h"
#include "launch/mpirun_command.h"
#include "launch/starter.h"

namespace verbund {

struct HostFlags {
  int workers = 0;         // 0: as many as the hosts have slots
  std::string list, file;  // -H, --hostfile
  std::string from;        // --hosts-from
  bool slurm = false;      // the hosts of Slurm's allocation around this process
  std::string starter_name = "auto";
  JobSettings job;        // --nic
  MpirunSettings mpirun;  // --rsh

  void declare(Options& options);
  bool given() const { return slurm || workers > 0 || !list.empty() || !file.empty() || !from.empty(); }
  // All named hosts, those of Slurm, or this machine with so many workers. Refuses more workers than slots.
  std::vector<Host> hosts() const;
  // Fills in the settings of the job that come from this process: folder, user, environment, shared cores.
  void complete_job(const std::vector<Host>& used);
  // What starts the workers. Inside an allocation of Slurm, a trial decides.
  std::unique_ptr<Starter> starter() const;

 private:
  std::vector<Host> hosts_of_slurm() const;
};

// True if a host has more workers than cores. Known of this machine alone.
bool is_crowded(const Host& host);

// The doctor's facts about hosts: starts this program on them, as one worker per slot, which examine each other.
Facts examine_from_outside(HostFlags& flags, const std::vector<Host>& hosts, const Training& training);

}  // namespace verbund
