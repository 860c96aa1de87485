// SPDX-License-Identifier: Apache-2.0
// OrderedSum adds the values of n workers in a fixed order: a tree over their ranks, in which every range [begin, end)
// is split at the largest power of two below its size. The order depends on n alone, so the same number of workers gets
// the same bits on any hosts; and workers with adjacent ranks, as those of a host are, can mostly be summed before the
// values of the others arrive, which an order of ranks one by one would not allow.
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

// The split point of a range of at least two.
int split_of(RankRange range);

// The largest ranges of the tree over [0, workers) whose workers are all among `ranks` (ascending), in order: the sums
// that these workers can compute by themselves.
std::vector<RankRange> parts_of(std::span<const int> ranks, int workers);

// Sums a range of the tree from the sums of ranges that cover it; `sources` may contain others.
class OrderedSum {
 public:
  OrderedSum(RankRange whole, std::span<const RankRange> sources);

  // `sources` in the order of the constructor; `sum` may be one of them.
  void add(std::span<const float* const> sources, size_t count, float* sum) const;

 private:
  // Numbers below sources_ are sources, the others are intermediate sums.
  struct Step {
    size_t left, right;
  };
  size_t plan(RankRange range, std::span<const RankRange> sources);

  size_t sources_;
  std::vector<Step> steps_;  // in order; the last one makes the whole, ...
  size_t whole_;             // ... unless a source is the whole
};

}  // namespace verbund
