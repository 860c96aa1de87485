// JSON as bytes to send to other workers: CBOR, because texts may be anything, also not UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace verbund {

inline std::string packed(const nlohmann::json& json) {
  const std::vector<uint8_t> bytes = nlohmann::json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

}  // namespace verbund
