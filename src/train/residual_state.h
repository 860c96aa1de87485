// What the exchange has rounded away of gradients and still owes, in checkpoints: part of what makes a resumed run's
// bits, see train/run_state.h.
#pragma once

#include "train/run_state.h"

namespace verbund {

// For which workers and hosts the residuals are; empty if none are kept. The same on all workers.
std::string residual_layout(const StepParts& parts);

// By all workers together; worker 0's snapshot gets them, and `collected` has their values.
void add_residuals(const StepParts& parts, CheckpointSnapshot& snapshot, CollectedState& collected);

// By all workers together: worker 0 has read the checkpoint, whose residuals are of the layout `saved` (empty: there
// are none). On the same layout each worker gets its own; on another one the sum of all is what is still owed, and is
// dealt out; where nothing is rounded so, they are dropped.
void restore_residuals(const Checkpoint* checkpoint, const std::string& saved, StepParts& parts);

}  // namespace verbund
