// SPDX-License-Identifier: Apache-2.0
#include "score/pcg64.h"

#include <array>
#include <bit>

namespace verbund {
namespace {

// NumPy's SeedSequence: spreads a seed of few bits over a pool of 128, from which any number of words is made.
class SeedSequence {
 public:
  explicit SeedSequence(uint64_t seed) {
    pool_ = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), 0, 0};
    uint32_t factor = 0x43b0d7e5;
    for (uint32_t& word : pool_) word = hashed(word, factor, 0x931e8875);
    for (size_t from = 0; from < pool_.size(); ++from) {
      for (size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) pool_[to] = mixed(pool_[to], hashed(pool_[from], factor, 0x931e8875));
      }
    }
  }

  // The first eight words, two by two.
  std::array<uint64_t, 4> words() const {
    std::array<uint64_t, 4> words{};
    uint32_t factor = 0x8b51f9dd;
    for (size_t i = 0; i < 8; ++i) {
      const uint64_t word = hashed(pool_[i % pool_.size()], factor, 0x58f38ded);
      words[i / 2] |= word << (i % 2 * 32);
    }
    return words;
  }

 private:
  static uint32_t hashed(uint32_t value, uint32_t& factor, uint32_t multiplier) {
    value ^= factor;
    factor *= multiplier;
    value *= factor;
    return value ^ value >> 16;
  }

  static uint32_t mixed(uint32_t x, uint32_t y) {
    const uint32_t value = 0xca01f9dd * x - 0x4973f715 * y;
    return value ^ value >> 16;
  }

  std::array<uint32_t, 4> pool_;
};

}  // namespace

Pcg64::Pcg64(uint64_t seed) {
  const auto words = SeedSequence(seed).words();
  increment_ = (Wide{words[2]} << 64 | words[3]) << 1 | 1;
  advance();
  state_ += Wide{words[0]} << 64 | words[1];
  advance();
}

void Pcg64::advance() {
  constexpr Wide kMultiplier = Wide{2549297995355413924u} << 64 | 4865540595714422341u;
  state_ = state_ * kMultiplier + increment_;
}

uint64_t Pcg64::next() {
  advance();
  return std::rotr(static_cast<uint64_t>(state_ >> 64) ^ static_cast<uint64_t>(state_),
                   static_cast<int>(state_ >> 122));
}

uint32_t Pcg64::next_half() {
  has_upper_half_ = !has_upper_half_;
  if (!has_upper_half_) return upper_half_;
  const uint64_t value = next();
  upper_half_ = static_cast<uint32_t>(value >> 32);
  return static_cast<uint32_t>(value);
}

uint32_t Pcg64::below(uint32_t bound) {
  if (bound == 1) return 0;  // and nothing is drawn
  uint64_t product = uint64_t{next_half()} * bound;
  if (static_cast<uint32_t>(product) < bound) {  // Lemire's method
    const uint32_t threshold = -bound % bound;
    while (static_cast<uint32_t>(product) < threshold) product = uint64_t{next_half()} * bound;
  }
  return static_cast<uint32_t>(product >> 32);
}

}  // namespace verbund
