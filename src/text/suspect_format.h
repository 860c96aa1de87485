// SPDX-License-Identifier: Apache-2.0
// Checks of the first line of a text for another format than one sentence a line: markup, or the names of columns.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

// "TMX", "XLIFF" or "XML" by the beginning of a file, see head_of_file; "" for plain text.
std::string markup_of(std::string_view head);

// Whether the first pair of a TSV file names its columns: "en" and "de", "source" and "target", "English" and "German".
bool is_header(std::string_view first_source, std::string_view first_target);

}  // namespace verbund
