// Checks of the configuration and the dataset of a resumed run: they must be those of its checkpoint, as far as they
// change the result.
#pragma once

#include <string>
#include <vector>

namespace verbund {

// The differences that change the result: "model.dropout was 0.1, is now 0.3". Settings of the length of the training,
// of logs and of checkpoints may change.
std::vector<std::string> differences_that_matter(const std::string& saved_config, const std::string& config,
                                                 const std::string& saved_state, const std::string& dataset_checksum);

}  // namespace verbund
