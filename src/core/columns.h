// SPDX-License-Identifier: Apache-2.0
// Text on a terminal: the columns it needs, and cutting and wrapping it to a number of columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

// Wide characters need two columns, combining ones none. Bytes that are not UTF-8 need one each.
size_t display_width(std::string_view text);

// The text for a terminal or a log: control characters except newlines and tabs, and bytes that are not UTF-8, become
// question marks. Text of files, samples and other hosts goes through it.
std::string printable(std::string_view text);
// The same for lines of other processes of this program, which may have colours.
std::string printable_with_colours(std::string_view text);

// One line of at most `columns` columns, cut between two characters. Characters that move the cursor and bytes that are
// not UTF-8 become question marks.
std::string fit_columns(std::string_view text, size_t columns);

// The words of a text in lines of at most `columns` columns; a longer word stays whole. At least one line.
std::vector<std::string> wrap_words(std::string_view text, size_t columns);

// The first lines of a text, at most `count` of `columns` columns: words as above, but a word that is longer than a
// line is cut into several. An ellipsis ends the last line if there was more. Nothing in them moves the cursor. At
// least one line.
std::vector<std::string> first_lines(std::string_view text, size_t columns, size_t count);

// The text with every row that is longer than `columns` broken: between cells (separated by two blanks or more)
// if they fit, else between words. The next rows begin below the second cell if that is in the left half, else two
// blanks further in than the first. A command ("verbund ...") is broken as a shell reads it, with " \". Colours need no
// columns.
std::string wrap_rows(std::string_view text, size_t columns);

// A table whose cells stand at the right of their columns. If it is wider than `columns`, the rest of its columns
// follows below, with the first one repeated. All rows have the same number of cells, at least two.
std::string layout_table(const std::vector<std::vector<std::string>>& rows, size_t columns);

}  // namespace verbund
