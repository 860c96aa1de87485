// The beginning of a file without its compression, which tells what it is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace verbund {

std::string head_of_file(const std::filesystem::path& path);

// Whether it is that of a tar or zip.
bool is_archive(std::string_view head);

}  // namespace verbund
