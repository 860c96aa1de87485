// How fast this machine computes, measured: a worker of its own trains on a typical micro-batch for some seconds.
#pragma once

#include "config/config.h"
#include "data/batch.h"
#include "plan/batch_facts.h"
#include "plan/compute_rates.h"

namespace verbund {

// `batch` is of the sentences to train on, as many as a micro-batch has. A small part of it is tried first, then twice
// as much, until a pass takes long enough or has all of it.
ComputeRates measure_compute(const Config& config, VocabularySizes vocabularies, const Batch& batch, int threads);

// Sentences as they come in a worker's micro-batches: of the dataset, or made.
Batch typical_batch(BatchesOfDataset& batches, const Config& config, int workers);
Batch made_batch(VocabularySizes vocabularies, int64_t length, int64_t tokens);

TokenCounts counts_of(const Batch& batch);

}  // namespace verbund
