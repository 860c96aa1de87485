// Checks of the configuration and the dataset of a resumed run: they must be those of its checkpoint, as far as they
// change the result.
#pragma once

#include <string>
#include <vector>

namespace verbund {

// A key that two configurations (as YAML) do not agree on.
struct ConfigDifference {
  std::string key, first, second;  // "model.d_model", "512", "256"
};
// Keys that are missing in the first count as defaults.
std::vector<ConfigDifference> config_differences(const std::string& first, const std::string& second);

// The differences that change the result: "model.dropout was 0.1, is now 0.3". Settings of the length of the training,
// of logs and of checkpoints may change.
std::vector<std::string> differences_that_matter(const std::string& saved_config, const std::string& config,
                                                 const std::string& saved_state, const std::string& dataset_checksum);

}  // namespace verbund
