// SPDX-License-Identifier: Apache-2.0
// config_differences lists the keys on which two configurations differ.
#pragma once

#include <string>
#include <vector>

namespace verbund {

struct ConfigDifference {
  std::string key, first, second;  // "model.d_model", "512", "256"
};

// Of configurations as YAML. Keys that are missing in the first have their defaults.
std::vector<ConfigDifference> config_differences(const std::string& first, const std::string& second);

}  // namespace verbund
