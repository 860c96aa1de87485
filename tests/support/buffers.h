// SPDX-License-Identifier: Apache-2.0
// Buffers of reproducible numbers for the tests of the optimisers, and their number of threads.
#pragma once

#include <omp.h>

#include <cstring>
#include <span>
#include <vector>

#include "core/random.h"

namespace verbund {

// Uniform in [-size, size).
inline std::vector<float> random_values(size_t count, uint64_t seed, double size = 1) {
  Random random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(size * (2 * random.uniform() - 1));
  return values;
}

// The same bits? (EXPECT_EQ would take 0 for -0.)
inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

class ThreadCount {
 public:
  explicit ThreadCount(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace verbund
