// SPDX-License-Identifier: Apache-2.0
// RunState is the state of a run as its folder shows it: what its record says, and signs of life. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace verbund {

enum class RunState { kTraining, kEvaluating, kStopped, kFinished, kLost, kDiverged, kFailed, kImported, kUnclear };

const char* state_name(RunState state);  // "training"
bool is_running(RunState state);         // training or evaluating

struct RunSigns {
  bool has_starts = false;  // run.json has one
  bool imported = false;
  std::string reason;     // of the end of the last start; "": it has not ended
  bool diverged = false;  // the loss diverged in the last start, and it was not rolled back
  bool locked = false;    // a process holds the folder
  double quiet = std::numeric_limits<double>::infinity();  // seconds since a file of the run has changed
  int64_t step = 0;                                        // steps done
  int64_t evaluated = -1;                                  // the last step with an evaluation
  int64_t eval_every = 0;                                  // 0: not known
  int64_t last_step = 0;                                   // of the whole run; 0: not known
  bool evaluates_first = false;                            // before its first step
};

// A run whose folder no process holds is lost after so many seconds without a change: a file system between hosts may
// not show the lock.
constexpr double kQuietUntilLost = 10;

RunState judge_state(const RunSigns& signs);

}  // namespace verbund
