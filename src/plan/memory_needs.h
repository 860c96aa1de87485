// How much memory a worker takes: what the model needs whatever the batch, and the activations of a micro-batch.
#pragma once

#include "config/config.h"
#include "model/parameters.h"
#include "plan/batch_facts.h"
#include "plan/exchange_rates.h"

namespace verbund {

// In bytes; on a GPU, of its own memory. Worker 0 has a copy of what is being saved beside it, if that is on the CPU.
double memory_of_worker(const Config& config, VocabularySizes vocabularies, const BatchFacts& facts,
                        const ExchangeLayout& layout, bool gpu);

}  // namespace verbund
