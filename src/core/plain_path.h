// SPDX-License-Identifier: Apache-2.0
// plain_path is the absolute path without "." and without a slash at its end, so that it ends with its name;
// folder_name is that name.
#pragma once

#include <filesystem>
#include <string>

namespace verbund {

inline std::filesystem::path plain_path(const std::filesystem::path& path) {
  const std::filesystem::path plain = std::filesystem::absolute(path).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

inline std::string folder_name(const std::filesystem::path& path) { return plain_path(path).filename().string(); }

}  // namespace verbund
