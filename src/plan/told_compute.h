// Rates from a figure that the user gives: the target tokens a second of one worker.
#pragma once

#include "plan/batch_facts.h"
#include "plan/compute_rates.h"

namespace verbund {

// Of a worker that trains alone on what would be its share among so many. What the update takes of that time is guessed
// from the memory of usual hosts.
ComputeRates told_compute(double tokens_per_second, const Config& config, BatchSource& batches, int workers);

}  // namespace verbund
