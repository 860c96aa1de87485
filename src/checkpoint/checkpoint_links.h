// Names for checkpoints, as relative links beside them: last -> step-00004000. They are for
// people and scripts; the program itself finds checkpoints by their step.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "core/file.h"

namespace verbund {

inline constexpr const char* kLastLink = "last";

// Replaced at once: at no moment is there no link. A failure (a file system without links)
// is a warning, because the checkpoint itself is safe.
void set_checkpoint_link(const fs::path& checkpoints, const std::string& name, int64_t step);

// The steps that a link points to.
std::set<int64_t> linked_steps(const fs::path& checkpoints);

// Removes links to checkpoints that are gone.
void remove_dangling_links(const fs::path& checkpoints);

}  // namespace verbund
