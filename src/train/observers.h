// Who hears what a run does: one line here for each.
#pragma once

#include <memory>

#include "record/observers.h"
#include "train/run.h"

namespace verbund {

// This worker's. The run must outlive them.
std::unique_ptr<Observers> make_observers(const Run& run);

}  // namespace verbund
