// SPDX-License-Identifier: Apache-2.0
// Lenient access to JSON that others have written: missing values and values of another type are unknown.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "report/run_data.h"

namespace verbund {

// NaN if there is no number.
double number_at(const Json& json, const char* key);
// A string as it is, anything else as JSON; "" if there is nothing.
std::string text_at(const Json& json, const char* key);
// The strings of a list.
std::vector<std::string> words_at(const Json& json, const char* key);
// An empty object if there is none.
const Json& object_at(const Json& json, const char* key);
// The last start in run.json; an empty object if there is none.
const Json& last_start(const RunData& run);

}  // namespace verbund
