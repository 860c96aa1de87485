// SPDX-License-Identifier: Apache-2.0
// Descriptions of a run: its hosts for run.json, the first lines of its log, and the last ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "train/run.h"

namespace verbund {

// Collective: one object per host with the machine, the ranks and threads of its workers, and the device.
Json describe_hosts(Workers& workers, const Device& device, int threads);

// The model whose weights a run begins with (train.start_from): its `path`, `checkpoint`, `origin`, and what that of
// its run began with. Null: random weights.
Json describe_model(const TrainConfig& config);

// The first lines of the log: run, model, dataset, learning rate, device, workers.
std::string introduction(const Run& run);

struct RunSummary {
  std::string end;                                // "finished", "stopped"
  int64_t steps = 0;                              // of the whole run
  int64_t first_step = 0;                         // of this part of the run
  double wall_seconds = 0;                        // of this part
  RunTimes times;                                 // of this part
  std::map<std::string, BestTracker::Best> best;  // by metric
  std::string run;                                // the folder
  std::string model;                              // the checkpoint that is used by default; "": none
  std::string source_language, target_language;
  std::vector<std::string> tags;  // of the corpora that it was trained on, if all have one
};

// The last lines of the log: the time and its use, the best values, the model and a command that uses it. At most 100
// columns each, if the path of the run has at most 40.
std::vector<std::string> summary_lines(const RunSummary& summary);

}  // namespace verbund
