// SPDX-License-Identifier: Apache-2.0
// UTF-8 text: validation, and conversion from and to code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace verbund {

bool is_ascii(std::string_view text);

// True for well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF).
bool is_utf8(std::string_view text);

// Reads the code point at `position` and moves after it. `text` must be valid.
char32_t next_code_point(std::string_view text, size_t& position);

void append_code_point(std::string& text, char32_t code_point);

std::u32string to_code_points(std::string_view text);

}  // namespace verbund
