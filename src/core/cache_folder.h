// Where this user's programs keep what can be made or fetched again.
#pragma once

#include <filesystem>
#include <optional>

namespace verbund {

// $XDG_CACHE_HOME/verbund or ~/.cache/verbund, which need not exist yet; nothing for a user without a home.
std::optional<std::filesystem::path> user_cache_folder();

}  // namespace verbund
