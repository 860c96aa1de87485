// The .sgm files of the WMT test sets -> plain text, one segment a line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

// The text of each <seg>, in order: entities decoded, white space (a segment may span
// lines) made single spaces. `name` is for the message about a segment without an end.
std::vector<std::string> sgm_segments(std::string_view sgm, const std::string& name);

// The same from file (which may be .gz or .xz) to file; no segment at all is an error.
void convert_sgm(const std::filesystem::path& sgm, const std::filesystem::path& text);

}  // namespace verbund
