// SPDX-License-Identifier: Apache-2.0
// head_of_file reads the first bytes of a file, decompressed: enough to tell what it is, however long its lines are.
#pragma once

#include <filesystem>
#include <string>

namespace verbund {

inline constexpr size_t kHeadOfFile = 1 << 16;  // bytes

std::string head_of_file(const std::filesystem::path& path);

}  // namespace verbund
