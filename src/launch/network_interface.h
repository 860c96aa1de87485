// The network that the workers are told to use (--nic).
#pragma once

#include <string>

namespace verbund {

// Fails, with the names there are, unless each item of the comma-separated list is an interface of
// this machine or a network such as 10.0.0.0/24: Open MPI would train over another one, or over none.
void check_interfaces(const std::string& list);

}  // namespace verbund
