// SPDX-License-Identifier: Apache-2.0
#include "core/user.h"

#include <fmt/format.h>
#include <pwd.h>

#include <cstdlib>

namespace verbund {

std::optional<std::filesystem::path> user_cache_folder() {
  const auto variable = [](const char* name) -> const char* {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? nullptr : value;
  };
  if (const char* cache = variable("XDG_CACHE_HOME")) return std::filesystem::path(cache) / "verbund";
  if (const char* home = variable("HOME")) return std::filesystem::path(home) / ".cache/verbund";
  return std::nullopt;
}

std::string user_name(uid_t id) {
  const passwd* const user = ::getpwuid(id);
  return user != nullptr ? user->pw_name : fmt::format("user {}", id);
}

}  // namespace verbund
