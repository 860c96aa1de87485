// JSON that comes from outside: whatever is wrong with it, the error names the file and says what to do.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"

namespace verbund {

// What `use` makes of the text. Not only broken text is damage: so is a key that is missing or of another kind.
template <typename Use>
auto use_json(const std::string& text, const std::string& where, const std::string& advice, Use use) {
  using Json = nlohmann::ordered_json;
  try {
    return use(Json::parse(text));
  } catch (const Json::exception& error) {
    fail("{} is damaged: {}. {}", where, error.what(), advice);
  }
}

template <typename Use>
auto use_json_file(const fs::path& path, const std::string& advice, Use use) {
  return use_json(read_file(path), path.string(), advice, std::move(use));
}

// The same for notes that may be lost: false if there is no such file or anything is wrong with it.
template <typename Use>
bool use_note(const fs::path& path, Use use) {
  using Json = nlohmann::ordered_json;
  if (!fs::exists(path)) return false;
  try {
    use(Json::parse(read_file(path)));
    return true;
  } catch (const Json::exception&) {
    return false;
  } catch (const Error&) {  // it may not be read
    return false;
  }
}

}  // namespace verbund
