#include "config/config.h"

#include "config/hints.h"
#include "config/load.h"
#include "config/presets.h"
#include "config/value.h"
#include "core/log.h"

namespace verbund {

Config load_config(const std::string& file, const std::vector<std::string>& overrides) {
  Config config;
  if (!file.empty()) {
    const ConfigText found = find_config(file);
    debug("configuration: read from {}, {} values of --set override it", found.where, overrides.size());
    load(parse_yaml(found.text, found.where), config, config_hints());
  }
  override_config(config, overrides);
  return config;
}

void override_config(Config& config, const std::vector<std::string>& overrides) {
  for (const std::string& assignment : overrides) load(parse_override(assignment), config, config_hints());
}

}  // namespace verbund
