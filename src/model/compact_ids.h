// The tokens of a batch as numbers of a small table that has a row for each distinct token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace verbund {

struct CompactIds {
  std::vector<int32_t> distinct;  // sorted
  std::vector<int32_t> rows;      // of each token, where it is in `distinct`

  explicit CompactIds(std::span<const int32_t> ids);
};

}  // namespace verbund
