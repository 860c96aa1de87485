#include "doctor/rounds.h"

#include <algorithm>

namespace verbund {

std::vector<Round> rounds_of_pairs(int count) {
  if (count < 2) return {};
  const int chairs = count + count % 2;
  std::vector<int> table;
  for (int i = 0; i < chairs; ++i) table.push_back(i);
  std::vector<Round> rounds;
  for (int round = 0; round + 1 < chairs; ++round) {
    rounds.emplace_back();
    for (int i = 0; i < chairs / 2; ++i) {
      const auto [low, high] = std::minmax(table[static_cast<size_t>(i)], table[static_cast<size_t>(chairs - 1 - i)]);
      if (high < count) rounds.back().emplace_back(low, high);
    }
    std::rotate(table.begin() + 1, table.end() - 1, table.end());
  }
  return rounds;
}

}  // namespace verbund
