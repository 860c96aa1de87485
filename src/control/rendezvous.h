// SPDX-License-Identifier: Apache-2.0
// Rendezvous lets all ranks exchange short texts before the control channel exists, and open_control_sockets uses it to
// connect each worker with worker 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/listening_addresses.h"
#include "control/sockets.h"
#include "control/worker.h"

namespace verbund {

class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  virtual int rank() const = 0;
  // The text of every rank, by rank.
  virtual std::vector<std::string> gather(const std::string& own) = 0;
  // The text of rank 0.
  virtual std::string broadcast(const std::string& text) = 0;
};

struct ControlSockets {
  uint64_t run = 0;             // a number that only the workers of this run know
  std::vector<Socket> by_rank;  // worker 0 has one for each other worker, the others have one for worker 0
};

// Collective. Fails on all workers if one cannot reach worker 0, and names it. `networks`: the user's choice; worker
// 0's counts. No port is open after it returns.
ControlSockets open_control_sockets(Rendezvous& rendezvous, const std::vector<Worker>& workers,
                                    const std::string& networks = networks_of_mpi());

}  // namespace verbund
