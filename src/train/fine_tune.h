// SPDX-License-Identifier: Apache-2.0
// fine_tune makes the configuration of a run that trains the model of another run further, on other text
// (train --finetune). train.start_from carries the weights over.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"

namespace verbund {

struct FineTuneRequest {
  std::filesystem::path model;              // the run whose model is trained further, or one of its checkpoints
  std::vector<std::filesystem::path> data;  // the new datasets; the first has the dev pairs
  std::filesystem::path run;                // the new run
  std::string config;                       // --config: its keys come before the settings below; may be ""
  std::vector<std::string> overrides;       // --set: these come before all
  double replay = 0;                        // share of the pairs that are drawn from the dataset of the model's run
};

struct FineTuned {
  Config config;
  std::string replayed;            // the dataset that is trained on beside the new one; "" without replay
  std::vector<std::string> notes;  // for the log: what was taken over, and what was not
};

// The settings of the model's run, with a length and a schedule for fine-tuning, and the dev set of that run as an
// extra one, so that forgetting is seen. A run that has begun keeps the settings and the dataset of replay that it
// began with, whatever has become of the model since. Refuses another shape of the model.
FineTuned fine_tune(const FineTuneRequest& request);

// The length and the schedule for a model that was trained for `steps` steps with this configuration: a tenth of the
// steps, at a tenth of the highest rate, after a short warm-up.
void set_length_and_schedule(Config& config, int64_t steps);

}  // namespace verbund
