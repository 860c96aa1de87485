// tokens_that_fit finds the number of tokens that fit into memory at once, by training on growing batches of the
// longest sentences.
#pragma once

#include "config/config.h"
#include "device/device.h"
#include "model/parameters.h"

namespace verbund {

// The tokens of a batch that fit into config.batch.memory_limit or, without a limit, into a fair share of the free
// memory for each of the `workers` on this host. Fails if the limit is too small for one longest pair.
int64_t tokens_that_fit(Device& device, const Config& config, VocabularySizes vocabularies, int workers);

}  // namespace verbund
