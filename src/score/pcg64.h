// SPDX-License-Identifier: Apache-2.0
// Pcg64 is NumPy's default random generator (PCG64, O'Neill 2014), bit for bit, seeded like numpy.random.default_rng.
// Significance tests that draw from it give exactly the numbers of other tools. Everything else uses core/random.h.
#pragma once

#include <cstdint>

namespace verbund {

class Pcg64 {
 public:
  explicit Pcg64(uint64_t seed);

  uint64_t next();
  // The lower half of a 64-bit value, then its upper half.
  uint32_t next_half();
  // Uniform in [0, bound), bound > 0: what Generator.choice and Generator.integers give.
  uint32_t below(uint32_t bound);

 private:
  __extension__ using Wide = unsigned __int128;
  void advance();

  Wide state_ = 0, increment_ = 0;
  uint32_t upper_half_ = 0;
  bool has_upper_half_ = false;
};

}  // namespace verbund
