// SPDX-License-Identifier: Apache-2.0
// Wall-clock times are UTC, written as "2026-02-03T04:05:06Z", which sorts by time.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace verbund {

// Seconds since 1970, now.
inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string utc_time(std::chrono::system_clock::time_point time = std::chrono::system_clock::now());

// Seconds since 1970 of such a text, which may have fractions of a second. NaN for any other text.
double parse_utc_time(std::string_view text);

// The time of the last change; "" if there is no such file.
std::string time_of_file(const std::filesystem::path& path);

}  // namespace verbund
