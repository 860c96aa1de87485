// Residuals of the exchange in checkpoints: the rounding errors of gradients that the exchange still has to make up
// for. A resumed run needs them to compute the same bits; see train/train_state.h.
#pragma once

#include "train/train_state.h"

namespace verbund {

// The workers and hosts of the residuals; empty if there are none. The same on all workers.
std::string residual_layout(const TrainState& state);

// Collective: adds them to the snapshot of worker 0; `collected` holds their values.
void add_residuals(const TrainState& state, CheckpointSnapshot& snapshot, CollectedState& collected);

// Collective: worker 0 passes the checkpoint, whose residuals have the layout `saved` (empty: there are none). With the
// same layout each worker gets its own; with another one the sum of all is distributed; without rounding to int8 they
// are dropped.
void restore_residuals(const Checkpoint* checkpoint, const std::string& saved, TrainState& state);

}  // namespace verbund
