// In which order pairs are measured: in rounds, so that everybody is in one pair at a time, and as
// many pairs as possible at once.
#pragma once

#include <utility>
#include <vector>

namespace verbund {

using Round = std::vector<std::pair<int, int>>;  // the lower number first

// As in a tournament: all sit around a table, number 0 stays, and the others move on by a chair
// after each round; who sits opposite is the partner. With an odd number one of them pauses.
std::vector<Round> rounds_of_pairs(int count);

}  // namespace verbund
