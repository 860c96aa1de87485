// SPDX-License-Identifier: Apache-2.0
// The first batches that training would see of dataset folders and a configuration, as text, for `verbund inspect
// --mixture`.
#pragma once

#include <span>
#include <string>

#include "config/config.h"
#include "core/json.h"
#include "data/dataset.h"

namespace verbund {

struct BatchesToShow {
  size_t batches = 3;
  size_t pairs = 3;  // of each
};

// {"corpora": [{"name", "pairs", "epoch_pairs"}], "stages": ["..."], "batches": [{"pairs": {name: count}, "tokens",
// "shown": [{"corpus", "source", "target"}]}]}; of the first stage.
Json mixture_contents(std::span<const Dataset> datasets, const Config& config, const BatchesToShow& wanted);
std::string show_mixture_contents(const Json& contents);

}  // namespace verbund
