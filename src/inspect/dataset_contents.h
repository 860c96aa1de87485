// SPDX-License-Identifier: Apache-2.0
// Contents of a dataset folder, with some of its pairs, for `verbund inspect`.
#pragma once

#include <filesystem>
#include <string>

#include "core/json.h"
#include "data/dataset.h"

namespace verbund {

struct PairsToShow {
  std::string split;  // "": the training pairs, of the first source if there are several
  size_t first = 0;   // counted from 0
  size_t count = 3;
};

// Each pair as text and as subword pieces.
Json sample_pairs(const Dataset& dataset, const PairsToShow& wanted);

std::string show_dataset_contents(const Dataset& dataset, const Json& pairs);
Json dataset_contents(const Dataset& dataset, const Json& pairs);

}  // namespace verbund
