// SPDX-License-Identifier: Apache-2.0
// CorpusGenerators are the corpora that the program generates itself, by name, in the form that `prepare` takes.
#pragma once

#include <span>
#include <string_view>

#include "data/corpus_source.h"

namespace verbund {

struct NamedGenerator {
  const char *name, *description;
  int vocabulary;  // pieces that suit it: generated text has few different words
  CorpusGenerator generator;
};

std::span<const NamedGenerator> corpus_generators();

// Null: no generated corpus has this name.
const NamedGenerator* find_generator(std::string_view name);

}  // namespace verbund
