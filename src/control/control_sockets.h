// The watch's connections: one from each other worker to worker 0.
#pragma once

#include <string>
#include <vector>

#include "control/listening_addresses.h"
#include "control/rendezvous.h"
#include "control/sockets.h"
#include "control/worker.h"

namespace verbund {

struct ControlSockets {
  uint64_t run = 0;             // the number by which the workers of this run know each other
  std::vector<Socket> by_rank;  // worker 0 has one for each other worker, the others have one for worker 0
};

// By all workers together. Fails on all of them if one cannot reach worker 0, and names it. `networks`: the user's
// choice, of which worker 0's counts. When it returns, nobody listens any more.
ControlSockets open_control_sockets(Rendezvous& rendezvous, const std::vector<Worker>& workers,
                                    const std::string& networks = networks_of_mpi());

}  // namespace verbund
