// SPDX-License-Identifier: Apache-2.0
#include "record/json_lines.h"

#include "core/file.h"

namespace verbund {
namespace {

bool is_used(std::string_view line, const std::function<void(const Json&)>& use) {
  try {
    const Json json = parse_json(line);
    if (json.is_object()) use(json);
    return json.is_object();
  } catch (const Json::exception&) {
    return false;
  }
}

}  // namespace

size_t read_json_lines(const fs::path& path, const std::function<void(const Json& line)>& use) {
  if (!fs::exists(path)) return 0;
  const MappedFile file(path);
  size_t damaged = 0;
  for (std::string_view rest = file.bytes(); !rest.empty();) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!is_used(line, use) && end != std::string_view::npos) ++damaged;
  }
  return damaged;
}

}  // namespace verbund
