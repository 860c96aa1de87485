// Checkpoint folders appear and disappear as wholes: a crash at any moment leaves either a
// whole checkpoint under its name or a leftover that is named as one.
#pragma once

#include "checkpoint/checkpoint_format.h"

namespace verbund {

// Writes the checkpoint `folder`. One that is there already is replaced once the new one is
// whole. After an error everything is as it was before.
void write_checkpoint(const fs::path& folder, const CheckpointSnapshot& snapshot);

void remove_checkpoint(const fs::path& folder);

// Removes what crashed programs left in a folder of checkpoints. Only for the program that
// writes there: to others, a checkpoint that is just being written looks like a leftover.
void remove_leftovers(const fs::path& checkpoints);

}  // namespace verbund
