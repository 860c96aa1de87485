// SPDX-License-Identifier: Apache-2.0
// Json is a JSON value whose keys keep their order. JSON text is parsed and written only here.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace verbund {

using Json = nlohmann::ordered_json;

// Throws Json::exception if the text is damaged or nested deeply.
Json parse_json(std::string_view text);

// A text that is damaged or nested deeply gives a value that is_discarded().
Json try_parse_json(std::string_view text);

// The same for text of a stranger; one with more keys is damaged, too, since an object of many takes long to build.
Json parse_json(std::string_view text, size_t max_keys);
Json try_parse_json(std::string_view text, size_t max_keys);

// For objects of very many keys: they are in alphabetical order.
nlohmann::json parse_large_json(std::string_view text);

// JSON text in one line, or indented. Bytes that are not UTF-8 become U+FFFD.
std::string dump_json(const Json& json, int indent = -1);

// JSON as bytes to send to other workers: CBOR, because texts need not be UTF-8.
std::string pack_json(const Json& json);
Json unpack_json(const std::string& bytes);

}  // namespace verbund
