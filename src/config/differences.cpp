// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <map>

#include "config/config.h"
#include "config/show.h"
#include "config/value.h"

namespace verbund {
namespace {

// "model.d_model" -> "512"
void collect_scalars(const Value& value, const std::string& prefix, std::map<std::string, std::string>& keys) {
  for (const auto& [key, item] : value.map) {
    const std::string name = prefix + key;
    if (item.kind == Value::Kind::kMap) {
      collect_scalars(item, name + ".", keys);
    } else if (item.kind == Value::Kind::kScalar) {
      keys[name] = item.scalar;
    }
  }
}

}  // namespace

std::vector<ConfigDifference> config_differences(const std::string& first, const std::string& second) {
  std::map<std::string, std::string> before, now;
  collect_scalars(parse_yaml(show(Config()), "the defaults"), "", before);
  collect_scalars(parse_yaml(first, "config.yaml"), "", before);
  collect_scalars(parse_yaml(second, "the configuration"), "", now);
  std::vector<ConfigDifference> differences;
  for (const auto& [key, value] : now) {
    const auto found = before.find(key);
    if (found != before.end() && found->second == value) continue;
    differences.push_back({key, found == before.end() ? "not set" : found->second, value});
  }
  return differences;
}

}  // namespace verbund
