// SPDX-License-Identifier: Apache-2.0
// Numbers in the form that people read, and the nearest word to a mistyped one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

std::string human_bytes(uint64_t bytes);        // 1536 -> "1.5 kB" (decimal units)
uint64_t parse_bytes(const std::string& text);  // "1.5 kB", "8GB", "4GiB", "100" -> bytes; fails on anything else
std::string human_count(uint64_t count);        // 1234567 -> "1,234,567"
std::string human_duration(double seconds);     // 3725 -> "1 h 02 min", 4.21 -> "4.2 s"
std::string human_time_left(double seconds);    // 3725 -> "1 h 02 min left", 4.21 -> "5 s left"

// The candidate with the smallest edit distance to `word`, or "" if none is near enough to be a typing error.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// The words of a command as one line for a shell, quoted where they must be.
std::string shell_line(const std::vector<std::string>& command);

}  // namespace verbund
