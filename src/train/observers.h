// SPDX-License-Identifier: Apache-2.0
// make_observers creates the observers of a run: one line there for each.
#pragma once

#include <memory>

#include "record/run_observer.h"
#include "train/run.h"

namespace verbund {

// Those of this worker. The run must outlive them.
std::unique_ptr<Observers> make_observers(const Run& run);

}  // namespace verbund
