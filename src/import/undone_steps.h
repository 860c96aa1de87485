// Curves of a training that was started again, and of files whose lines are not in order.
#pragma once

#include <string>
#include <vector>

#include "import/imported_run.h"

namespace verbund {

// Puts the points into the order in which they were made, and leaves out those of steps that were done again later:
// when a curve goes back to an earlier step, what any curve had of that step and later ones before that moment is gone.
// Returns a sentence for each thing that was done.
std::vector<std::string> drop_undone(std::vector<ImportedPoint>& points);

}  // namespace verbund
