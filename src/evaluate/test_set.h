// SPDX-License-Identifier: Apache-2.0
// TestSet holds sentences with their reference translations, as text and as tokens.
#pragma once

#include <vector>

#include "data/dataset.h"
#include "mixture/training_set.h"
#include "model/batch_view.h"
#include "score/segments.h"

namespace verbund {

struct TestSet {
  Segments sources, references;                           // as in the files
  std::vector<Sentence> source_tokens, reference_tokens;  // without </s>

  size_t size() const { return source_tokens.size(); }
};

// Checksum of all text of the set, to compare test sets.
std::string checksum(const TestSet& set);

// A split of a dataset. Only dev and test keep their text; the text of others is decoded from the tokens.
TestSet read_test_set(const Dataset& dataset, const std::string& split, const Subwords& source, const Subwords& target);
// The dev pairs of a dataset, in turn: the first of each of its sources, the second of each, and so on, so that as many
// first ones as are translated (evaluate.sentences) come evenly from all. Dev pairs of one source, or that the dataset
// was given beside its sources, keep their order.
TestSet with_sources_in_turn(const TestSet& dev, const Dataset& dataset);
// The order of pairs that lie in parts of these sizes, one after the other.
std::vector<size_t> in_turn(const std::vector<size_t>& sizes);
// Two parallel files (plain, .gz, .xz). `tag`: the symbol to put before every source sentence; "": none.
TestSet read_test_set(const fs::path& source_file, const fs::path& reference_file, const std::string& tag,
                      const Subwords& source, const Subwords& target);

// Chooses `pairs` training pairs (no side longer than max_length with </s>), or all if they are fewer, as a probe: they
// are scored like dev pairs, without dropout and with fixed weights. The training loss in the log cannot be compared
// with the loss on dev pairs; this one can, and the gap shows overfitting. The choice depends on the training set, the
// seed and the numbers alone: it is the same on all workers and after a resume. Tokens only; see loss_on.
TestSet choose_train_probe(const TrainingSet& train, int64_t pairs, int64_t max_length, uint64_t seed);

}  // namespace verbund
