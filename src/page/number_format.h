// SPDX-License-Identifier: Apache-2.0
// Formats of numbers, times and lists on the pages of a report.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace verbund {

// 1234567.5 with one decimal -> "1,234,567.5"
std::string with_commas(double value, int decimals);
// An amount with at most four significant digits: 1.193 million; 12,350; 0.1235; "unknown" for NaN.
std::string human_number(double value);
// Three significant digits, without an exponent where that is readable: 0.00123, 1.23, 123, 12,300.
std::string short_number(double value);
// 300123 -> "300,123": steps, which are names, and counts to the last one.
std::string counted(double value);
// 1 -> "1 step"; 1200 -> "1,200 steps"
std::string counted(double count, const std::string& one, const std::string& many);

std::string percent(double share);  // 0.05 -> "5.0 %"
std::string p_value(double p);      // "p = 0.012", "p < 0.001"

// "340 ms", "1.62 s", "2 h 10 min"
std::string short_seconds(double seconds);
// human_duration, or "unknown".
std::string duration_text(double seconds);
// Seconds since 1970 -> "2026-02-03 04:05 UTC", or "unknown".
std::string moment_text(double at);
// "812 Mbit/s (102 MB/s)": both, because they are often confused.
std::string bit_rate(double bytes_per_second);

// The text with a capital letter, as at the beginning of a sentence.
std::string capital(std::string text);
// "a, b and c"
std::string list_text(const std::vector<std::string>& items);

}  // namespace verbund
