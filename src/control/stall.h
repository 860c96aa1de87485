// SPDX-License-Identifier: Apache-2.0
// find_stall names the straggler, the worker that the others wait for, from the last heartbeat of each worker.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace verbund {

// A worker as the watchdog last saw it.
struct WorkerSeen {
  std::string name;        // "worker 1 on host-b"
  double silent = 0;       // seconds since its last heartbeat
  uint64_t entered = 0;    // collective operations entered ...
  uint64_t finished = 0;   // ... and finished
  double waiting = 0;      // seconds in the current operation
  int64_t step = 0;        // of training
  std::string doing;       // "backward"
  std::string operation;   // the last collective operation: "sum of gradients"
  bool left = false;       // after an orderly shutdown
  bool may_block = false;  // its activity may take any time: the others wait as long as it is alive
  // Seconds since its step changed. In a round of local steps a slow worker is waited for, but it advances.
  double in_step = std::numeric_limits<double>::infinity();
  double since_entered = 0;  // seconds since it entered its last operation, even if it has finished it
};

struct Stall {
  double seconds;          // that the others have waited
  size_t worker;           // the straggler
  std::string message;     // names the straggler, its step and the operation
  bool of_all = false;     // all workers wait, since the last one came; `worker` waits the longest
  bool may_block = false;  // so does the activity of one of them
};

// The longest stall, if there is one.
std::optional<Stall> find_stall(std::span<const WorkerSeen> workers);

}  // namespace verbund
