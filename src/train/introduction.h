// The first lines of a run's log: what is trained, on what, by whom.
#pragma once

#include <string>

#include "train/run.h"

namespace verbund {

std::string introduction(const Run& run);

}  // namespace verbund
