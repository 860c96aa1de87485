// SPDX-License-Identifier: Apache-2.0
// head_of_file reads the first bytes of a file, decompressed: enough to tell what it is, however long its lines are.
// They show other formats than one sentence a line: markup, or the names of columns.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace verbund {

inline constexpr size_t kHeadOfFile = 1 << 16;  // bytes

std::string head_of_file(const std::filesystem::path& path);

// "TMX", "XLIFF" or "XML" by the beginning of a file; "" for plain text.
std::string markup_of(std::string_view head);

// Whether the first pair of a TSV file names its columns: "en" and "de", "source" and "target", "English" and "German".
bool is_header(std::string_view first_source, std::string_view first_target);

}  // namespace verbund
