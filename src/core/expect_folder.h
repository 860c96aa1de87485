// For a path of the user's that must be a folder.
#pragma once

#include <filesystem>

namespace verbund {

// Fails if there is nothing of that name, or a file where `what` ("a run") is a folder.
void expect_folder(const std::filesystem::path& path, const char* what);

}  // namespace verbund
