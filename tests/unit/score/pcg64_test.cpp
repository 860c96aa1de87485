// SPDX-License-Identifier: Apache-2.0
#include "score/pcg64.h"

#include <gmock/gmock.h>

#include <vector>

namespace verbund {
namespace {

using ::testing::ElementsAre;

// All numbers are NumPy's own: numpy.random.default_rng(seed).bit_generator.random_raw(2) and so on.

TEST(Pcg64, DrawsAsNumpyDoesFromAnySeed) {
  const auto first_two = [](uint64_t seed) {
    Pcg64 random(seed);
    const uint64_t first = random.next();
    return std::vector<uint64_t>{first, random.next()};
  };
  EXPECT_THAT(first_two(12345), ElementsAre(4193609425186963869u, 5843160025838961886u));
  EXPECT_THAT(first_two(0), ElementsAre(11749869230777074271u, 4976686463289251617u));
  EXPECT_THAT(first_two(uint64_t{1} << 32), ElementsAre(16412783775159424549u, 10277383025879800780u));
  EXPECT_THAT(first_two(UINT64_MAX), ElementsAre(12544278110101001871u, 15593249672699323225u));
}

TEST(Pcg64, ChoosesAsNumpyDoes) {
  Pcg64 random(12345);
  std::vector<uint32_t> few;
  for (int i = 0; i < 10; ++i) few.push_back(random.below(3004));
  EXPECT_THAT(few, ElementsAre(2100, 682, 2369, 951, 613, 2395, 1930, 2031, 2969, 1174));
}

TEST(Pcg64, DrawsAgainWhatWouldBeBiased) {
  // A quarter of the values below 2^32 is left over by this bound.
  Pcg64 random(12345);
  std::vector<uint32_t> many;
  for (int i = 0; i < 8; ++i) many.push_back(random.below(3u << 30));
  EXPECT_THAT(many, ElementsAre(2252329269u, 732300585u, 2540409766u, 1020350031u, 657699810u, 2568493921u, 2178368770u,
                                3184041033u));
}

TEST(Pcg64, OneChoiceNeedsNoDraw) {
  Pcg64 random(12345);
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_EQ(random.next(), 4193609425186963869u);
}

}  // namespace
}  // namespace verbund
