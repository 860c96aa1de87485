// How long to sleep before looking again: not at all at first, then ever longer the longer nothing happens. MPI's own
// waiting burns a core, which would be taken from the computation that goes on meanwhile.
#pragma once

#include <algorithm>
#include <chrono>

namespace verbund {

class Patience {
 public:
  // Something has happened.
  void renew() { since_ = Clock::now(); }

  std::chrono::nanoseconds next() const {
    using std::chrono::microseconds;
    const std::chrono::nanoseconds waited = Clock::now() - since_;
    if (waited < microseconds(30)) return std::chrono::nanoseconds(0);
    return std::min<std::chrono::nanoseconds>(waited / 8, microseconds(200));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();
};

}  // namespace verbund
