// Sentences with their reference translations, as text and as tokens.
#pragma once

#include <vector>

#include "data/dataset.h"
#include "model/batch_view.h"
#include "score/segments.h"

namespace verbund {

struct TestSet {
  Segments sources, references;                           // as they are written
  std::vector<Sentence> source_tokens, reference_tokens;  // without </s>

  size_t size() const { return source_tokens.size(); }
};

// Of all its text, for comparing.
std::string checksum(const TestSet& set);

// A split of a dataset. Only dev and test have their text kept; of others it is decoded from the tokens.
TestSet read_test_set(const Dataset& dataset, const std::string& split, const Subwords& source, const Subwords& target);
// Two files (plain, .gz, .xz), line by line.
TestSet read_test_set(const fs::path& source_file, const fs::path& reference_file, const Subwords& source,
                      const Subwords& target);

}  // namespace verbund
