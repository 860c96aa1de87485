// The cores that this process may run on: all of the machine, unless mpirun, taskset or a container has bound it.
#pragma once

#include <vector>

namespace verbund {

std::vector<int> allowed_cores();  // their numbers; at least one

}  // namespace verbund
