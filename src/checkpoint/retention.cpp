#include "checkpoint/retention.h"

#include <algorithm>

namespace verbund {

std::vector<int64_t> outdated_steps(const std::vector<int64_t>& steps, int64_t saved, const CheckpointConfig& config,
                                    const std::set<int64_t>& pinned) {
  std::vector<int64_t> outdated;
  const auto end = std::upper_bound(steps.begin(), steps.end(), saved);
  const auto last = end - std::min<int64_t>(std::max<int64_t>(config.keep_last, 1), end - steps.begin());
  for (auto step = steps.begin(); step != last; ++step) {
    const bool milestone = config.keep_every > 0 && *step % config.keep_every == 0;
    if (!milestone && !pinned.contains(*step)) outdated.push_back(*step);
  }
  return outdated;
}

}  // namespace verbund
