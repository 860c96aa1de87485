// SPDX-License-Identifier: Apache-2.0
// JSON files from outside: the error of a damaged one names the file and the way to repair it.
#pragma once

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"

namespace verbund {

// The result of `use`. A key that is missing or of another type counts as damage, as broken text does.
template <typename Use>
auto use_json(const std::string& text, const std::string& where, const std::string& advice, Use use) {
  try {
    return use(parse_json(text));
  } catch (const Json::exception& error) {
    fail("{} is damaged: {}. {}", where, error.what(), advice);
  }
}

template <typename Use>
auto use_json_file(const fs::path& path, const std::string& advice, Use use) {
  return use_json(read_file(path), path.string(), advice, std::move(use));
}

// The same for files that may be lost: false if there is no such file or it is damaged.
template <typename Use>
bool use_note(const fs::path& path, Use use) {
  if (!fs::exists(path)) return false;
  try {
    use(parse_json(read_file(path)));
    return true;
  } catch (const Json::exception&) {
    return false;
  } catch (const Error&) {  // it cannot be read
    return false;
  }
}

}  // namespace verbund
