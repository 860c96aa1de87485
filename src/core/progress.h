// Progress of one stage of work: a bar on a terminal, a line now and then in a log.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace verbund {

// A bar of fixed width, for a status line.
std::string bar(double share);

class Progress {
 public:
  // `total` is in the same unit as the updates; 0 if nobody knows it.
  // `unit` is what the numbers count ("pairs"); "bytes" is shown as kB, MB, GB.
  Progress(std::string stage, uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap: draws at most ten times a second. Also the place where an interruption is
  // noticed: throws `Interrupted`.
  void update(uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(uint64_t done, Clock::time_point now) const;

  std::string stage_;
  uint64_t total_;
  std::string unit_;
  uint64_t first_ = 0;  // where an interrupted piece of work was taken up
  bool started_ = false;
  Clock::time_point start_;
  Clock::time_point next_draw_;
};

}  // namespace verbund
