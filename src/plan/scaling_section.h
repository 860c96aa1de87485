// Of a run's page: what would more workers bring, and which setting would help? Its step is simulated for 1 .. N
// workers, from its own record.
#pragma once

#include "report/page.h"
#include "report/run_data.h"

namespace verbund {

// Without blocks if there is nothing to simulate from: too few steps on record, or the dataset is gone.
Section scaling_section(const RunData& run);

}  // namespace verbund
