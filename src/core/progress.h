// SPDX-License-Identifier: Apache-2.0
// Progress shows one stage of work: a bar on a terminal, a line every ten seconds elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/status.h"

namespace verbund {

class Progress {
 public:
  // `total` is in the same unit as the updates; 0 if unknown.
  // `unit` is the thing that is counted ("pairs"); "bytes" are shown as kB, MB, GB.
  Progress(std::string stage, uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap: draws at most ten times a second. Throws `Interrupted` if a signal has arrived.
  void update(uint64_t done);
  void add(uint64_t more) { update(done_ + more); }
  // Shows `what` and the time since the start, while nothing can be counted.
  void waiting(const std::string& what);

  uint64_t done() const { return done_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_due(Clock::time_point now);
  void show(const Status& status) const;

  std::string stage_;
  uint64_t total_;
  std::string unit_;
  uint64_t done_ = 0;
  uint64_t first_ = 0;  // where an interrupted stage was resumed
  bool started_ = false;
  Clock::time_point start_;
  Clock::time_point next_draw_;
};

// The time between two updates of the status line, or between two lines of a log.
std::chrono::milliseconds progress_interval();

// "encode 1.2 GB of 3.4 GB, 120 MB/s, 18 s left"; `begun` of it was done in an earlier run.
Status progress_status(const std::string& stage, const std::string& unit, uint64_t done, uint64_t total, uint64_t begun,
                       double seconds);

}  // namespace verbund
