#include "config/config.h"

#include "config/load.h"
#include "config/value.h"

namespace verbund {

Config load_config(const std::string& file, const std::vector<std::string>& overrides) {
  Config config;
  if (!file.empty()) load(load_yaml(file), config);
  override_config(config, overrides);
  return config;
}

void override_config(Config& config, const std::vector<std::string>& overrides) {
  for (const std::string& assignment : overrides) load(parse_override(assignment), config);
}

}  // namespace verbund
