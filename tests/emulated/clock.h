// What is known to lie before a moment: for each stream, how much of its work. Two pieces of work of different streams
// are in order only if the later one's clock knows the earlier one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulated {

class Clock {
 public:
  void join(const Clock& other) {
    if (times_.size() < other.times_.size()) times_.resize(other.times_.size());
    for (size_t stream = 0; stream < other.times_.size(); ++stream) {
      times_[stream] = std::max(times_[stream], other.times_[stream]);
    }
  }
  void set(size_t stream, uint32_t time) {
    if (times_.size() <= stream) times_.resize(stream + 1);
    times_[stream] = time;
  }
  bool knows(size_t stream, uint32_t time) const { return stream < times_.size() && times_[stream] >= time; }

 private:
  std::vector<uint32_t> times_;  // by the stream's number
};

}  // namespace emulated
