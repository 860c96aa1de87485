// SPDX-License-Identifier: Apache-2.0
// The user who runs this program: the cache folder, and names of users.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace verbund {

// $XDG_CACHE_HOME/verbund or ~/.cache/verbund, for what can be made or fetched again. It need not exist yet; nothing
// for a user without a home.
std::optional<std::filesystem::path> user_cache_folder();

std::string user_name(uid_t id);  // "anna", or "user 1000" if the system knows no name

}  // namespace verbund
