// May a run go on from a checkpoint? Only with the configuration and the dataset it was made
// with, as far as they change what is computed.
#pragma once

#include <string>
#include <vector>

namespace verbund {

// "model.dropout was 0.1, is now 0.3": each difference that changes what is computed. How long to train, what
// to log and what to keep may change.
std::vector<std::string> differences_that_matter(const std::string& saved_config, const std::string& config,
                                                 const std::string& saved_state, const std::string& dataset_checksum);

}  // namespace verbund
