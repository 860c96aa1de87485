#include "doctor/rounds.h"

#include <set>

namespace verbund {
namespace {

TEST(Rounds, EveryPairOnceAndNobodyTwiceInARound) {
  for (int count = 0; count <= 9; ++count) {
    std::set<std::pair<int, int>> pairs;
    const std::vector<Round> rounds = rounds_of_pairs(count);
    for (const Round& round : rounds) {
      std::set<int> busy;
      for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_LT(b, count);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(pairs.emplace(a, b).second);
      }
    }
    EXPECT_EQ(pairs.size(), static_cast<size_t>(count * (count - 1) / 2));
    EXPECT_EQ(rounds.size(), static_cast<size_t>(count < 2 ? 0 : count % 2 == 0 ? count - 1 : count));
  }
}

}  // namespace
}  // namespace verbund
