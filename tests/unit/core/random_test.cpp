// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace verbund {
namespace {

// The published test vectors of Philox 4x32-10.
TEST(Random, PhiloxKnownAnswers) {
  EXPECT_EQ(philox(0, 0, 0), (RandomBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~0ull, ~0ull, ~0ull), (RandomBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0'a4093822, 0x03707344'13198a2e, 0x85a308d3'243f6a88),
            (RandomBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, StreamsDiffer) { EXPECT_NE(Random(1, 1).next(), Random(1, 2).next()); }

TEST(Random, BelowIsUniform) {
  Random random(7, 0);
  std::array<int, 10> counts = {};
  for (int i = 0; i < 100000; ++i) ++counts[random.below(counts.size())];
  // Chi-square with 9 degrees of freedom: 27.9 is exceeded with a probability of 0.001.
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1e4) * (count - 1e4) / 1e4;
  EXPECT_LT(chi_square, 27.9);
}

TEST(Random, ShuffleGivesEveryPermutationEquallyOften) {
  std::array<int, 6> counts = {};
  Random random(3, 0);
  for (int i = 0; i < 60000; ++i) {
    std::array<int, 3> order = {0, 1, 2};
    shuffle(order.begin(), order.end(), random);
    ++counts[static_cast<size_t>(order[0] * 2 + (order[1] > order[2] ? 1 : 0))];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1e4) * (count - 1e4) / 1e4;
  EXPECT_LT(chi_square, 20.5);  // 5 degrees of freedom
}

}  // namespace
}  // namespace verbund
