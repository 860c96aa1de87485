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

// The same while many messages are under way: the line stays busy without anybody looking, and each look costs the
// computation a moment of its core. So the naps become longer until one of them sees some of the messages done, but
// never so many that the line may have run dry.
class Naps {
 public:
  // `done` messages since the last nap, of `under_way`.
  std::chrono::nanoseconds next(size_t done, size_t under_way) {
    if (4 * done > under_way) {
      nap_ = std::max(nap_ / 2, kShortest);
    } else if (done <= 1) {
      nap_ = std::min(nap_ + nap_ / 2, kLongest);
    }
    return nap_ == kShortest ? std::chrono::nanoseconds(0) : nap_;
  }

 private:
  static constexpr std::chrono::nanoseconds kShortest = std::chrono::microseconds(5);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::milliseconds(1);
  std::chrono::nanoseconds nap_ = kShortest;
};

}  // namespace verbund
