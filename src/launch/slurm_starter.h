// SPDX-License-Identifier: Apache-2.0
// The starter inside an allocation of Slurm: srun where MPI works under it, else mpirun, whose daemons Slurm starts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launch/mpirun_command.h"
#include "launch/slurm_allocation.h"
#include "launch/starter.h"

namespace verbund {

// Printed by each process of the trial, which connects with the others: "3 workers have met".
std::string line_of_meeting(int workers);

// Why workers cannot be started by srun here; "" if they can. Starts `program` once on every host; it prints
// line_of_meeting().
std::string trial_of_srun(const SlurmAllocation& allocation, const JobSettings& job,
                          const std::vector<std::string>& program);

std::unique_ptr<Starter> srun_starter(const SlurmAllocation& allocation);
std::unique_ptr<Starter> mpirun_in_slurm(const MpirunSettings& settings);

}  // namespace verbund
