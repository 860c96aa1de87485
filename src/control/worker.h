// SPDX-License-Identifier: Apache-2.0
// Worker is one rank: its process and the host it runs on.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace verbund {

struct Worker {
  int rank = 0;
  std::string host;
  int local_rank = 0;  // among the workers of its host
  int local_size = 1;
  std::vector<int> cores = {0};  // the numbers of the cores that it may use
  int machine_cores = 1;         // of its host, or of its container

  // A fair share of the host for each of its workers.
  int fair_threads() const { return std::max(1, std::min(static_cast<int>(cores.size()), machine_cores / local_size)); }

  std::string name() const { return fmt::format("worker {} on {}", rank, host); }
};

}  // namespace verbund
