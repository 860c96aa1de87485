// SPDX-License-Identifier: Apache-2.0
// train runs the training of a model on one or many workers: from a dataset to checkpoints.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "alert/alert_command.h"
#include "collectives/workers.h"
#include "config/config.h"

namespace verbund {

enum class Resume { kAuto, kNever, kForce, kBest };
inline constexpr std::array kResumeNames = {"auto", "never", "force", "best"};

// A restart by `launch`, after the job was lost.
struct RestartReason {
  int number = 0;  // 0: the first start, or one by a user
  std::string reason;
};

struct TrainRequest {
  Config config;
  std::vector<std::filesystem::path> datasets;  // the first has the dev pairs and the subword model
  std::filesystem::path run;                    // the run folder
  Resume resume = Resume::kAuto;
  int64_t benchmark_steps = 0;       // trains this number of steps without saving, and prints the averages
  std::string program;               // version and commit, which must be the same everywhere
  std::vector<std::string> command;  // as given, for run.json
  std::vector<std::string> notes;    // for the log of a run that begins, beside its own introduction
  RestartReason restart;
  std::string verified;                    // notes of copies of the dataset that this job has verified before a restart
  AlertCommand* alerts = nullptr;          // is told of the run's alerts; null: nobody is
  std::function<void()> on_start = [] {};  // called once nothing can refuse the training
};

// Collective. Returns 0 when the run is finished, or the signal that stopped it.
int train(const TrainRequest& request, Workers& workers);

}  // namespace verbund
