// SPDX-License-Identifier: Apache-2.0
#include "report/json_values.h"

namespace verbund {
namespace {

const Json& nothing() {
  static const Json empty = Json::object();
  return empty;
}

const Json* member(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

}  // namespace

double number_at(const Json& json, const char* key) {
  const Json* found = member(json, key);
  return found && found->is_number() ? found->get<double>() : kNotKnown;
}

std::string text_at(const Json& json, const char* key) {
  const Json* found = member(json, key);
  if (!found || found->is_null()) return "";
  if (found->is_string()) return found->get<std::string>();
  return found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> words_at(const Json& json, const char* key) {
  std::vector<std::string> words;
  const Json* found = member(json, key);
  if (!found || !found->is_array()) return words;
  for (const Json& word : *found) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

const Json& object_at(const Json& json, const char* key) {
  const Json* found = member(json, key);
  return found && found->is_object() ? *found : nothing();
}

const Json& last_start(const RunData& run) {
  const Json* starts = member(run.record, "starts");
  const bool known = starts && starts->is_array() && !starts->empty() && starts->back().is_object();
  return known ? starts->back() : nothing();
}

}  // namespace verbund
