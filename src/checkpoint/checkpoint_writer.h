// SPDX-License-Identifier: Apache-2.0
// write_checkpoint writes a checkpoint folder, which appears and disappears as a whole: a crash at any moment leaves
// either a whole checkpoint under its name, or a leftover that is named as one. Links beside the folders name
// checkpoints (last -> step-00004000) for people and scripts; the program itself finds checkpoints by their step.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "checkpoint/checkpoint_format.h"

namespace verbund {

inline constexpr const char* kLastLink = "last";

// Writes the checkpoint `folder`. An existing one is replaced when the new one is whole. After an error everything is
// as it was before.
void write_checkpoint(const fs::path& folder, const CheckpointSnapshot& snapshot);

void remove_checkpoint(const fs::path& folder);

// Removes what crashed programs left in a folder of checkpoints. Only for the program that writes there: to others, a
// checkpoint that is being written looks like a leftover.
void remove_leftovers(const fs::path& checkpoints);

// Sets a relative link atomically: at no moment is there no link. A failure (a file system without links) is a warning,
// because the checkpoint itself is safe.
void set_checkpoint_link(const fs::path& checkpoints, const std::string& name, int64_t step);

// The steps that links point to.
std::set<int64_t> linked_steps(const fs::path& checkpoints);

// Removes links to checkpoints that are gone.
void remove_dangling_links(const fs::path& checkpoints);

}  // namespace verbund
