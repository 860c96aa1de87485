// SPDX-License-Identifier: Apache-2.0
// A configuration as a flat list of keys and values, to see how it differs from the defaults or from another run.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "core/json.h"

namespace verbund {

struct Setting {
  std::string key;  // "model.dimension", "corpus.train.0.source"
  std::string value;
  std::string meaning;

  bool operator==(const Setting&) const = default;
};

std::vector<Setting> settings_of(const Config& config);

// The same with typed values: {"seed": 1, "model.d_model": 512, "corpus.train.0.source": "a.en", ...}.
Json flatten(const Config& config);

struct ChangedSetting {
  Setting setting;
  std::string usual;  // the default; "" if there is none
};

// The settings that differ from the default.
std::vector<ChangedSetting> changed_settings(const Config& config);

struct ConfigDifference {
  std::string key, first, second;  // "model.d_model", "512", "256"
};

// The differences of two configurations given as YAML. Keys that are missing in the first have their defaults.
std::vector<ConfigDifference> config_differences(const std::string& first, const std::string& second);

}  // namespace verbund
