#include "evaluate/shared_batches.h"

#include <algorithm>

#include "core/order.h"

namespace verbund {
namespace {

constexpr size_t kBatchTokens = 4096;

}  // namespace

std::vector<PairNumbers> batches_of(const TestSet& set) {
  std::vector<PairNumbers> batches;
  size_t source = 0, target = 0;  // tokens of the last one
  for (const size_t i : largest_first(set.size(), [&](size_t pair) { return set.reference_tokens[pair].size(); })) {
    if (batches.empty() || std::max(source, target) >= kBatchTokens) {
      batches.emplace_back();
      source = target = 0;
    }
    batches.back().push_back(i);
    source += set.source_tokens[i].size() + 1;
    target += set.reference_tokens[i].size() + 1;
  }
  return batches;
}

}  // namespace verbund
