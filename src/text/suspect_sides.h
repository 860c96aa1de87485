// Parallel texts that are probably not what was meant: the same file on both sides, sides that look swapped, a side in
// another language than was said, pairs whose sides are the same text. Found in the first some thousand pairs of each
// text, before hours are spent on them.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace verbund {

// One sentence per kind of suspicion, with counts, and what to do.
std::vector<std::string> suspect_sides(const std::vector<ParallelFiles>& texts, const std::string& source_language,
                                       const std::string& target_language);

}  // namespace verbund
