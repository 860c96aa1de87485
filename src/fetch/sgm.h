// SPDX-License-Identifier: Apache-2.0
// Converter of the .sgm files of the WMT test sets to plain text, one segment per line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

// The text of each <seg>, in order: entities are decoded, white space (a segment may span lines) becomes single spaces.
// `name` of the file is for the message about a segment without an end.
std::vector<std::string> sgm_segments(std::string_view sgm, const std::string& name);

// Converts a file (which may be .gz or .xz); a file without segments is an error.
void convert_sgm(const std::filesystem::path& sgm, const std::filesystem::path& text);

}  // namespace verbund
