// SPDX-License-Identifier: Apache-2.0
// convert_opustrainer makes our configuration from a file of OpusTrainer, which mixes corpora in stages for Marian:
//
//   datasets: {clean: clean.tsv, dirty: dirty.tsv}
//   stages: [start, end]
//   start: [clean 0.8, dirty 0.2, until clean 2]
//   end: {mix: [clean 1, until clean inf], modifiers: [UpperCase: 0.05]}
#pragma once

#include <string>

#include "config/value.h"
#include "core/file.h"

namespace verbund {

// YAML that `verbund config --show` reads; whatever has no counterpart is named in a comment with its reason. `folder`:
// that of the file, from which it names the datasets.
std::string convert_opustrainer(const Value& file, const fs::path& folder);

}  // namespace verbund
