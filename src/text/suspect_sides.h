// SPDX-License-Identifier: Apache-2.0
// Checks of parallel texts for probable mistakes: TMX instead of text, a header, numbers instead of text, the same file
// on both sides, swapped sides, a side in another language than configured, pairs with identical sides. They look at
// the first few thousand pairs of each text, before hours are spent on it.
#pragma once

#include <string>
#include <vector>

#include "config/corpus_config.h"

namespace verbund {

// One sentence per kind of mistake, with counts and advice.
std::vector<std::string> suspect_sides(const std::vector<ParallelFiles>& texts, const std::string& source_language,
                                       const std::string& target_language);

}  // namespace verbund
