// Text of others, such as translations and names of runs, made harmless: it is shown as it is, and can neither leave
// its place nor be taken for markup. What is no UTF-8, and control characters, become a replacement character.
#pragma once

#include <string>
#include <string_view>

namespace verbund {

// For HTML text and quoted attributes.
std::string escape_html(std::string_view text);

// For one line of Markdown, in a table's cell too: line ends become blanks.
std::string escape_markdown(std::string_view text);

// For a code span or block of Markdown: the fence is longer than any row of backquotes in it.
std::string markdown_code_block(std::string_view text);

// One line of at most so many characters, with an ellipsis if it was cut.
std::string shortened(std::string_view text, size_t characters);

}  // namespace verbund
