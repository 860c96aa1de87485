// In which order the values of n workers are added: as a tree over their ranks, in which every range [begin, end) is
// split at the largest power of two below its size. It depends on n alone, so the same number of workers gets the same
// bits on any hosts; and workers whose ranks lie side by side, as those of a host do, can mostly be added up before
// anybody else's values are there, which an order of ranks one by one would not allow.
//
//   n = 6:  ((0 + 1) + (2 + 3)) + (4 + 5)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace verbund {

struct RankRange {
  int begin = 0;
  int end = 0;

  int size() const { return end - begin; }
  bool operator==(const RankRange&) const = default;
};

// Where a range of at least two is split.
int split_of(RankRange range);

// The largest ranges of the tree over [0, workers) whose workers are all among `ranks` (ascending), in order: what
// these workers can add up by themselves.
std::vector<RankRange> parts_of(std::span<const int> ranks, int workers);

// Adds up a range of the tree from the sums of ranges that cover it; there may be others among them.
class OrderedSum {
 public:
  OrderedSum(RankRange whole, std::span<const RankRange> sources);

  // `sources` as they were named; `sum` may be one of them.
  void add(std::span<const float* const> sources, size_t count, float* sum) const;

 private:
  // Numbers below sources_ are sources, the others are sums made on the way.
  struct Step {
    size_t left, right;
  };
  size_t plan(RankRange range, std::span<const RankRange> sources);

  size_t sources_;
  std::vector<Step> steps_;  // in order; the last one makes the whole ...
  size_t whole_;             // ... or a source is it
};

}  // namespace verbund
