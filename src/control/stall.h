// Who keeps the others waiting? A pure judgement of what each worker last said of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace verbund {

// A worker as the watch last saw it.
struct WorkerSeen {
  std::string name;       // "worker 1 on host-b"
  double silent = 0;      // seconds since its last sign of life
  uint64_t entered = 0;   // collective operations begun ...
  uint64_t finished = 0;  // ... and done
  double waiting = 0;     // seconds in the one that it is in
  int64_t step = 0;       // of training
  std::string doing;      // "backward"
  std::string operation;  // the last collective one: "sum of gradients"
  bool left = false;      // in peace
  bool may_block = false;  // what it does may take any time: it is waited for as long as it lives
};

struct Stall {
  double seconds;       // how long the others wait
  size_t worker;        // for whom
  std::string message;  // who, where, in what
  bool of_all = false;  // all wait, that worker the longest
};

// The worst one, if anybody is waited for.
std::optional<Stall> find_stall(std::span<const WorkerSeen> workers);

}  // namespace verbund
