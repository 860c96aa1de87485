// A training run, by one worker or many: from a dataset to checkpoints.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "collectives/workers.h"
#include "config/config.h"

namespace verbund {

enum class Resume { kAuto, kNever, kForce, kBest };
inline constexpr std::array kResumeNames = {"auto", "never", "force", "best"};

// By `launch`, after the job was lost.
struct RestartReason {
  int number = 0;  // 0: it is the first start, or a person's
  std::string reason;
};

struct TrainRequest {
  Config config;
  std::filesystem::path dataset;
  std::filesystem::path run;  // the run folder
  Resume resume = Resume::kAuto;
  int64_t benchmark_steps = 0;       // train so many steps without saving, print the averages
  std::string program;               // version and commit, which must be the same everywhere
  std::vector<std::string> command;  // as it was given, for the record
  RestartReason restart;
};

// Called by all workers. Returns 0 when the run is finished, or the signal that stopped it.
int train(const TrainRequest& request, Workers& workers);

}  // namespace verbund
