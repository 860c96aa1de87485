// A configuration as a flat list of keys and values, to see what differs: from the defaults, or between two runs.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace verbund {

struct Setting {
  std::string key;  // "model.dimension", "corpus.train.0.source"
  std::string value;
  std::string meaning;

  bool operator==(const Setting&) const = default;
};

std::vector<Setting> settings_of(const Config& config);

struct ChangedSetting {
  Setting setting;
  std::string usual;  // the default; "" if there is none
};

// Those that are not the default.
std::vector<ChangedSetting> changed_settings(const Config& config);

}  // namespace verbund
