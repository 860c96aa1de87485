// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

namespace verbund {

Json parse_json(std::string_view text) { return Json::parse(text); }

Json try_parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

Json try_parse_json(std::string_view text, size_t max_keys) {
  size_t keys = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ':')
      ++keys;
  }
  return keys > max_keys ? Json(Json::value_t::discarded) : try_parse_json(text);
}

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string pack_json(const Json& json) {
  const std::vector<uint8_t> bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

Json unpack_json(const std::string& bytes) { return Json::from_cbor(bytes); }

}  // namespace verbund
