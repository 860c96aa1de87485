// How many tokens can be trained on at once within a limit of memory: found by training on
// the worst shape there is, ever more of it.
#pragma once

#include "config/config.h"
#include "device/device.h"
#include "model/parameters.h"

namespace verbund {

// Tokens of a batch that fit into config.batch.memory_limit. Refuses a limit that is too small for one longest pair.
// If there is none, into a fair share of the free memory for each of `workers` on this host.
int64_t tokens_that_fit(Device& device, const Config& config, VocabularySizes vocabularies, int workers);

}  // namespace verbund
