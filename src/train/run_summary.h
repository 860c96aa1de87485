// The last lines of a run: how long it took and what that went to, the best it got, where the model is and how it is
// used.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/best_tracker.h"
#include "train/run_times.h"

namespace verbund {

struct RunSummary {
  std::string end;                                // "finished", "stopped"
  int64_t steps = 0;                              // of the run, all its parts
  int64_t first_step = 0;                         // where this part of it began
  double wall_seconds = 0;                        // of this part
  RunTimes times;                                 // of this part
  std::map<std::string, BestTracker::Best> best;  // by metric
  std::string run;                                // the folder
  std::string model;                              // the checkpoint that is used if none is named; "": none
  std::string source_language, target_language;
};

// At most 100 columns each, if the run's path is not longer than some 40.
std::vector<std::string> summary_lines(const RunSummary& summary);

}  // namespace verbund
