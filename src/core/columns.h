// Text on a terminal: how many columns it takes, and how it is cut or wrapped to so many.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

// Wide characters take two columns, combining ones none. Bytes that are no UTF-8 take one each.
size_t display_width(std::string_view text);

// One line of at most so many columns, cut between two characters. What would move the cursor or is no UTF-8 becomes
// a question mark.
std::string fit_columns(std::string_view text, size_t columns);

// The words of a text in lines of at most so many columns; a longer word stays whole. At least one line.
std::vector<std::string> wrap_words(std::string_view text, size_t columns);

// The text with every row that is longer than so many columns broken: between cells (two blanks or more part them) if
// they fit, else between words; what follows is indented by two more. A command ("verbund ...") stays whole, to be
// copied, and colours take no columns.
std::string wrap_rows(std::string_view text, size_t columns);

}  // namespace verbund
