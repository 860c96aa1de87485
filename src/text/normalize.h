// One line of raw text -> one line of clean text: control characters gone, every kind of
// white space a single blank, Unicode in one normal form.
#pragma once

#include <string>
#include <string_view>

#include "config/config.h"

namespace verbund {

// `text` must be valid UTF-8; the result replaces `result`.
void normalize_line(std::string_view text, UnicodeForm form, std::string& result);

// Words as separated by blanks in normalised text.
size_t count_words(std::string_view text);

}  // namespace verbund
