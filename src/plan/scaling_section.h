// SPDX-License-Identifier: Apache-2.0
// scaling_section() adds a section to a run's page: throughput with more workers, and settings that would help,
// simulated from the run's own record.
#pragma once

#include "report/page.h"
#include "report/run_data.h"

namespace verbund {

// Without blocks if a simulation is impossible: too few steps on record, or the dataset is gone.
Section scaling_section(const RunData& run);

}  // namespace verbund
