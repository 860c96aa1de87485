// A few training pairs that are scored again and again, as dev pairs are: without dropout and by weights that stand
// still. What training logs cannot be compared with the loss on dev pairs; this can, and the gap shows overfitting.
#pragma once

#include "data/dataset.h"
#include "evaluate/test_set.h"

namespace verbund {

// `pairs` of those that are trained on (no side longer than max_length with </s>), or all if they are fewer. Which ones
// depends on the split, the seed and the numbers alone: they are the same on all workers and after a resume. Tokens
// only; see loss_on.
TestSet choose_train_probe(const Split& train, int64_t pairs, int64_t max_length, uint64_t seed);

}  // namespace verbund
