#include "config/config.h"

#include "config/load.h"
#include "config/value.h"

namespace verbund {

Config load_config(const std::string& file, const std::vector<std::string>& overrides) {
  Config config;
  if (!file.empty()) load(load_yaml(file), config);
  for (const std::string& assignment : overrides) load(parse_override(assignment), config);
  return config;
}

}  // namespace verbund
