// SPDX-License-Identifier: Apache-2.0
// measure_compute() measures the compute rates of this machine: one worker trains on a typical micro-batch for some
// seconds.
#pragma once

#include "config/config.h"
#include "data/batch.h"
#include "plan/batch_facts.h"
#include "plan/compute_rates.h"

namespace verbund {

// `batch` is a micro-batch. A small part of it is tried first, then twice as much, until a pass takes long enough or
// uses all of it.
ComputeRates measure_compute(const Config& config, VocabularySizes vocabularies, const Batch& batch, int threads);

// A micro-batch of a worker: from the dataset, or made up.
Batch typical_batch(BatchesOfDataset& batches, const Config& config, int workers);
Batch made_batch(VocabularySizes vocabularies, int64_t length, int64_t tokens);

TokenCounts counts_of(const Batch& batch);

}  // namespace verbund
