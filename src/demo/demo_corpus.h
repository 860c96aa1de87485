// SPDX-License-Identifier: Apache-2.0
// An embedded parallel corpus: true English sentences and their true German translations,
// made by a grammar. The English sentence determines the German one, so a model that has
// learned the grammar gets nearly every sentence exactly right.
#pragma once

#include <cstdint>

#include "demo/generated_corpus.h"

namespace verbund {

// A pure function of its arguments; source is English, target is German.
GeneratedCorpus demo_corpus(uint64_t seed, const GeneratedSizes& sizes = {});

}  // namespace verbund
