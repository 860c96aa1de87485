// SPDX-License-Identifier: Apache-2.0
// Escaping of foreign text, such as translations and names of runs: it is shown unchanged, and can neither leave its
// place nor act as markup. Invalid UTF-8 and control characters become a replacement character.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

// For HTML text and quoted attributes.
std::string escape_html(std::string_view text);

// For one line of Markdown, also in a table cell: line ends become blanks.
std::string escape_markdown(std::string_view text);

// A code block of Markdown, whose fence is longer than any run of backquotes in it.
std::string markdown_code_block(std::string_view text);

// One line of at most `characters` characters, with an ellipsis if it was cut.
std::string shortened(std::string_view text, size_t characters);

}  // namespace verbund
