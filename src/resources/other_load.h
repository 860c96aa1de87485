// SPDX-License-Identifier: Apache-2.0
// OtherLoad measures how many cores other processes have used since its construction. Measurements of compute speed
// state it, because a busy machine lowers them.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace verbund {

class OtherLoad {
 public:
  // `cores`: their ids.
  explicit OtherLoad(std::vector<int> cores, std::filesystem::path proc = "/proc");

  // Cores' worth of CPU time that was neither idle nor this process's own. Waits until there is enough to tell, a third
  // of a second. 0 if the system does not say.
  double cores_used() const;

 private:
  double busy_seconds() const;  // of the cores, since the machine booted; NaN: not known

  std::vector<int> cores_;
  std::filesystem::path proc_;
  std::chrono::steady_clock::time_point began_;
  double busy_, own_;
};

// True if threads on so many cores, of which other processes use some, get noticeably less than a core each.
bool is_crowded(double threads, double cores, double used_by_others);

// The load average of the last minute; negative if the system does not say.
double load_average(const std::filesystem::path& proc = "/proc");

// "other programs use 1.8 of 2 cores (load average 20.1)"; `use`: "use" or "used".
std::string other_load_text(const char* use, double used_by_others, size_t cores, double load);

}  // namespace verbund
