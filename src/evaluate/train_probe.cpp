#include "evaluate/train_probe.h"

#include <algorithm>

#include "core/random.h"

namespace verbund {
namespace {

constexpr uint64_t kProbeStream = 0x70726f62'65000000;

}  // namespace

TestSet choose_train_probe(const Split& train, int64_t pairs, int64_t max_length, uint64_t seed) {
  const auto is_used = [&](size_t pair) {
    return std::max(train.source_length(pair), train.target_length(pair)) + int64_t{1} <= max_length;
  };
  uint64_t left = 0;  // pairs that may still be chosen
  for (size_t i = 0; i < train.size(); ++i) left += is_used(i) ? 1 : 0;
  uint64_t wanted = std::min(static_cast<uint64_t>(pairs), left);

  TestSet set;
  Random random(seed, kProbeStream);
  for (size_t i = 0; wanted > 0; ++i) {
    if (!is_used(i) || random.below(left--) >= wanted) continue;
    --wanted;
    train.append_source(i, set.source_tokens.emplace_back());
    train.append_target(i, set.reference_tokens.emplace_back());
  }
  return set;
}

}  // namespace verbund
