// SPDX-License-Identifier: Apache-2.0
#include "collectives/sum_order.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "kernels/portable_loop.h"

namespace verbund {
namespace {

constexpr size_t kBlock = 2048;  // values at a time: intermediate sums stay in the L1 cache

VERBUND_PORTABLE_LOOP void add_values(size_t count, const float* left, const float* right, float* sum) {
#pragma GCC ivdep
  for (size_t i = 0; i < count; ++i) sum[i] = left[i] + right[i];
}

void find_parts(RankRange range, std::span<const int> ranks, std::vector<RankRange>& parts) {
  const auto first = std::lower_bound(ranks.begin(), ranks.end(), range.begin);
  const auto last = std::lower_bound(ranks.begin(), ranks.end(), range.end);
  if (first == last) return;
  if (last - first == range.size()) {
    parts.push_back(range);
    return;
  }
  const int middle = split_of(range);
  find_parts({range.begin, middle}, ranks, parts);
  find_parts({middle, range.end}, ranks, parts);
}

}  // namespace

int split_of(RankRange range) {
  return range.begin + static_cast<int>(std::bit_floor(static_cast<unsigned>(range.size() - 1)));
}

std::vector<RankRange> parts_of(std::span<const int> ranks, int workers) {
  std::vector<RankRange> parts;
  find_parts({0, workers}, ranks, parts);
  return parts;
}

OrderedSum::OrderedSum(RankRange whole, std::span<const RankRange> sources) : sources_(sources.size()) {
  whole_ = plan(whole, sources);
}

size_t OrderedSum::plan(RankRange range, std::span<const RankRange> sources) {
  const auto given = std::find(sources.begin(), sources.end(), range);
  if (given != sources.end()) return static_cast<size_t>(given - sources.begin());
  if (range.size() < 2) fail("no source has the values of worker {}", range.begin);
  const int middle = split_of(range);
  const size_t left = plan({range.begin, middle}, sources), right = plan({middle, range.end}, sources);
  steps_.push_back({left, right});
  return sources_ + steps_.size() - 1;
}

void OrderedSum::add(std::span<const float* const> sources, size_t count, float* sum) const {
  if (steps_.empty()) {
    if (sum != sources[whole_]) std::memcpy(sum, sources[whole_], count * sizeof(float));
    return;
  }
  std::vector<float> on_the_way((steps_.size() - 1) * kBlock);
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t size = std::min(kBlock, count - begin);
    const auto values = [&](size_t number) {
      return number < sources_ ? sources[number] + begin : &on_the_way[(number - sources_) * kBlock];
    };
    for (size_t i = 0; i < steps_.size(); ++i) {
      float* place = i + 1 == steps_.size() ? sum + begin : &on_the_way[i * kBlock];
      add_values(size, values(steps_[i].left), values(steps_[i].right), place);
    }
  }
}

}  // namespace verbund
