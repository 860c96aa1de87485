// Processes that mpirun (or another launcher that MPI knows) has started, on any hosts.
#pragma once

#include <memory>
#include <string>

#include "collectives/transport.h"

namespace verbund {

// Was this process started as one of several by MPI's launcher, or by Slurm for it?
bool started_by_mpi();
// This worker's number as the launcher tells it, without asking MPI; 0 if nobody did.
int launched_rank();
// Name and version of the library that is loaded, which may be another than it was built with.
std::string mpi_library();

// All further calls must come from the thread that makes it: MPI is asked for no more than that
// (MPI_THREAD_FUNNELED). Once in a process.
std::unique_ptr<Transport> make_mpi_transport();

}  // namespace verbund
