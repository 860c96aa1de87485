// The text that is scored: one segment (mostly a sentence) per element.
#pragma once

#include <string>
#include <vector>

namespace verbund {

using Segments = std::vector<std::string>;

// Several references are several whole translations: references[which][segment].
using References = std::vector<Segments>;

// Fails unless there is at least one segment and one reference, and all have equally many.
void check_parallel(const Segments& hypotheses, const References& references);

// The references of a single sentence as those of a corpus of one.
References references_of_one(const Segments& references);

}  // namespace verbund
