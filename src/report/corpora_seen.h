// SPDX-License-Identifier: Apache-2.0
// CorpusSeen is a training corpus of a run, and how often the run saw its pairs.
#pragma once

#include <string>
#include <vector>

#include "report/run_data.h"

namespace verbund {

struct CorpusSeen {
  std::string name;  // "" in a record of an older version, which has one corpus
  // NaN: not known.
  double pairs = kNotKnown;
  double usable = kNotKnown;  // pairs that are not too long
  double seen = kNotKnown;    // pairs, each as often as it was seen
  double epochs = kNotKnown;  // `seen` over `usable`
};

// The corpora of the last start, in their order; one at least.
std::vector<CorpusSeen> corpora_seen(const RunData& run);

// The epochs of the corpus that was seen most often, of all that the run ever drew from; NaN: unknown.
double max_epochs(const RunData& run);

}  // namespace verbund
