// SPDX-License-Identifier: Apache-2.0
// mutate gives a reader a file again and again, each time with some bytes changed, cut, doubled or inserted: it must be
// read, or refused by an Error.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/error.h"
#include "core/random.h"

namespace verbund {

// Of each file. VERBUND_MUTATIONS is the number of all files together, such as 10000.
inline int64_t mutations() {
  constexpr int64_t kFiles = 12, kFew = 1200;  // five of tensors, seven of imported models
  const char* requested = std::getenv("VERBUND_MUTATIONS");
  return (requested == nullptr ? kFew : std::max<int64_t>(std::atoll(requested), kFew)) / kFiles;
}

template <typename Read>
void mutate(const std::string& whole, Read read) {
  const int64_t count = mutations();
  int64_t refused = 0;
  for (int64_t number = 0; number < count; ++number) {
    Random random(static_cast<uint64_t>(number), whole.size());
    std::string bytes = whole;
    const uint64_t changes = 1 + random.below(4);
    for (uint64_t i = 0; i < changes && !bytes.empty(); ++i) {
      const auto at = static_cast<size_t>(random.below(bytes.size()));
      switch (random.below(5)) {
        case 0:
          bytes[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.below(8));
          break;
        case 2:
          bytes.resize(at);
          break;
        case 3:
          bytes.insert(at, bytes.substr(at / 2, random.below(16)));
          break;
        default:
          bytes.replace(at, 4, std::string(4, random.below(2) == 0 ? '\xff' : '\0'));
      }
    }
    try {
      read(bytes);
    } catch (const Error& error) {
      ++refused;
      ASSERT_STRNE(error.what(), "");
    }
  }
  EXPECT_GT(refused, count / 10);
}

}  // namespace verbund
