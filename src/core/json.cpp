// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <algorithm>

namespace verbund {

namespace {

// Values are written, copied and compared by functions that call themselves once for each level.
constexpr size_t kMaxDepth = 1000;

struct Extent {
  size_t keys = 0, depth = 0;
};

Extent extent_of(std::string_view text) {
  Extent extent;
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (c == ':') {
      ++extent.keys;
    } else if (c == '{' || c == '[') {
      extent.depth = std::max(extent.depth, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return extent;
}

Extent check(std::string_view text) {
  const Extent extent = extent_of(text);
  if (extent.depth > kMaxDepth) {
    throw Json::out_of_range::create(
        408, "it is nested " + std::to_string(extent.depth) + " deep, more than " + std::to_string(kMaxDepth), nullptr);
  }
  return extent;
}

}  // namespace

Json parse_json(std::string_view text) {
  check(text);
  return Json::parse(text);
}

Json parse_json(std::string_view text, size_t max_keys) {
  const Extent extent = check(text);
  if (extent.keys > max_keys) {
    throw Json::out_of_range::create(
        408, "it has " + std::to_string(extent.keys) + " keys, more than " + std::to_string(max_keys), nullptr);
  }
  return Json::parse(text);
}

nlohmann::json parse_large_json(std::string_view text) {
  check(text);
  return nlohmann::json::parse(text);
}

Json try_parse_json(std::string_view text) { return try_parse_json(text, SIZE_MAX); }

Json try_parse_json(std::string_view text, size_t max_keys) {
  const Extent extent = extent_of(text);
  if (extent.keys > max_keys || extent.depth > kMaxDepth) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
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
