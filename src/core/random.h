// SPDX-License-Identifier: Apache-2.0
// Random numbers are counter-based (Philox 4x32, 10 rounds): the value at a counter is a pure function of (key,
// counter), so nothing depends on the order of calls, the number of threads or the number of workers.
#pragma once

#include <array>
#include <cstdint>

namespace verbund {

using RandomBlock = std::array<uint32_t, 4>;

constexpr RandomBlock philox(uint64_t key, uint64_t counter_high, uint64_t counter_low) {
  constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  RandomBlock x = {static_cast<uint32_t>(counter_low), static_cast<uint32_t>(counter_low >> 32),
                   static_cast<uint32_t>(counter_high), static_cast<uint32_t>(counter_high >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{kMultiplier0} * x[0];
    const uint64_t product1 = uint64_t{kMultiplier1} * x[2];
    x = {static_cast<uint32_t>(product1 >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(product1),
         static_cast<uint32_t>(product0 >> 32) ^ x[3] ^ k1, static_cast<uint32_t>(product0)};
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return x;
}

// A stream of values for sequential use; `stream` separates independent uses of a seed.
class Random {
 public:
  Random(uint64_t seed, uint64_t stream) : seed_(seed), stream_(stream) {}

  uint64_t next() {
    const RandomBlock block = philox(seed_, stream_, counter_++);
    return uint64_t{block[1]} << 32 | block[0];
  }

  // Uniform in [0, bound), without bias (Lemire's method); bound > 0.
  uint64_t below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    Wide product = Wide{next()} * bound;
    if (static_cast<uint64_t>(product) < bound) {
      const uint64_t threshold = -bound % bound;
      while (static_cast<uint64_t>(product) < threshold) product = Wide{next()} * bound;
    }
    return static_cast<uint64_t>(product >> 64);
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t seed_;
  uint64_t stream_;
  uint64_t counter_ = 0;
};

// Shuffles [first, last) uniformly (Fisher-Yates).
template <typename Iterator>
void shuffle(Iterator first, Iterator last, Random& random) {
  using std::swap;
  for (auto size = last - first; size > 1; --size) {
    swap(first[size - 1], first[random.below(static_cast<uint64_t>(size))]);
  }
}

}  // namespace verbund
