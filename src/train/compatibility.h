// May a run go on from a checkpoint? Only with the configuration and the dataset it was made
// with, as far as they change what is computed.
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

// "model.dropout was 0.1, is now 0.3": each difference that changes what is computed. How long to train, what
// to log and what to keep may change.
std::vector<std::string> differences_that_matter(const std::string& saved_config, const std::string& config,
                                                 const std::string& saved_state, const std::string& dataset_checksum);

}  // namespace verbund
