#include "model/compact_ids.h"

#include <algorithm>

namespace verbund {

CompactIds::CompactIds(std::span<const int32_t> ids) : distinct(ids.begin(), ids.end()) {
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  rows.reserve(ids.size());
  for (const int32_t id : ids) {
    rows.push_back(static_cast<int32_t>(std::lower_bound(distinct.begin(), distinct.end(), id) - distinct.begin()));
  }
}

}  // namespace verbund
