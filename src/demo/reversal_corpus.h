// SPDX-License-Identifier: Apache-2.0
// The simplest task that needs attention: copy a random sequence of symbols backwards.
// Any length and any number of symbols can be asked for, and a right model gets every
// sentence right, so it shows quickly whether training works.
#pragma once

#include <cstddef>
#include <cstdint>

#include "demo/generated_corpus.h"

namespace verbund {

struct ReversalShape {
  size_t min_length = 4;  // symbols in a sequence
  size_t max_length = 16;
  size_t symbols = 64;  // size of the alphabet: "ba", "ca", ..., "za", "be", ...
};

// "ka be ba" -> "ba be ka". A pure function of its arguments.
GeneratedCorpus reversal_corpus(uint64_t seed, const GeneratedSizes& sizes, const ReversalShape& shape = {});

}  // namespace verbund
