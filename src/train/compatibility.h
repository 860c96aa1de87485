// May a run go on from a checkpoint? Only with the configuration and the dataset it was made
// with, as far as they change what is computed.
#pragma once

#include <string>

namespace verbund {

// Refuses with a list of what differs. How long to train, what to log and what to keep may change.
void check_compatible(const std::string& saved_config, const std::string& config, const std::string& saved_state,
                      const std::string& dataset_checksum);

}  // namespace verbund
