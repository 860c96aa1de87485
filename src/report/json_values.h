// Values of JSON that others have written: what is missing or of another kind is not known.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/run_data.h"

namespace verbund {

// NaN if there is no number.
inline double number_at(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : kNotKnown;
}

// A string as it is, anything else as JSON; "" if there is nothing.
inline std::string text_at(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return "";
  if (found->is_string()) return found->get<std::string>();
  return found->dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace verbund
