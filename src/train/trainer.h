// A training run of one worker: from a dataset to checkpoints.
#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

namespace verbund {

enum class Resume { kAuto, kNever, kForce };

struct TrainRequest {
  Config config;
  std::filesystem::path dataset;
  std::filesystem::path run;  // the run folder
  Resume resume = Resume::kAuto;
  int64_t benchmark_steps = 0;  // train so many steps without saving, print the averages
};

// How the run ended.
enum class TrainOutcome { kFinished, kInterrupted };

TrainOutcome train(const TrainRequest& request);

}  // namespace verbund
