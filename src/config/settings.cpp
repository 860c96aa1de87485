#include "config/settings.h"

#include <map>

#include "config/flatten.h"

namespace verbund {

std::vector<Setting> settings_of(const Config& config) {
  Flattener flattener;
  Config copy = config;  // visitors may change what they visit; this one does not
  copy.fields(flattener);
  std::vector<Setting> settings;
  for (const auto& [key, value] : flattener.object().items()) {
    settings.push_back(
        {key, value.is_string() ? value.get<std::string>() : value.dump(), flattener.meanings().at(key)});
  }
  return settings;
}

std::vector<ChangedSetting> changed_settings(const Config& config) {
  std::map<std::string, std::string> usual;
  for (Setting& setting : settings_of(Config())) usual[setting.key] = setting.value;
  std::vector<ChangedSetting> changed;
  for (Setting& setting : settings_of(config)) {
    const auto found = usual.find(setting.key);
    if (found != usual.end() && found->second == setting.value) continue;
    changed.push_back({std::move(setting), found == usual.end() ? "" : found->second});
  }
  return changed;
}

}  // namespace verbund
