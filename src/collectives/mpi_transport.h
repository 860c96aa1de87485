// SPDX-License-Identifier: Apache-2.0
// The MPI transport connects processes that mpirun, or another launcher that MPI knows, has started on any hosts.
#pragma once

#include <memory>
#include <string>

#include "collectives/transport.h"

namespace verbund {

// True if this process was started by MPI's launcher, or by Slurm for MPI.
bool started_by_mpi();
// This worker's rank by the launcher's environment, without MPI; 0 if there is none.
int launched_rank();
// Name and version of the loaded library, which may differ from the one at build time.
std::string mpi_library();

// All later calls must come from the thread that makes it (MPI_THREAD_FUNNELED). Once in a process.
std::unique_ptr<Transport> make_mpi_transport();

}  // namespace verbund
