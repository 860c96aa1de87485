// SPDX-License-Identifier: Apache-2.0
// Rendezvous lets all ranks exchange short texts before the control channel exists, and open_control_sockets uses it to
// connect the workers as a ControlTree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control_tree.h"
#include "control/joining.h"
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
};

struct ControlSockets {
  uint64_t run = 0;  // a number that only the workers of this run know
  size_t rank = 0;   // the own one
  ControlTree tree;
  std::vector<Socket> by_rank;  // open: those of the parent and of the children
};

// Collective. Fails on all workers if one cannot reach its parent, and names it. `networks`: the user's choice, of the
// worker that listens. No port is open after it returns.
ControlSockets open_control_sockets(Rendezvous& rendezvous, const std::vector<Worker>& workers,
                                    const std::string& networks = networks_of_mpi(), const JoiningLimits& limits = {});

}  // namespace verbund
