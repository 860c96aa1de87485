// SPDX-License-Identifier: Apache-2.0
// Parsers for rates, times and prices as users write them: 1gbit, 118MB/s, 0.2ms, 3.06/h. Each has a range.
#pragma once

#include <string>

namespace verbund {

// Payload bytes per second of a link: a nominal rate in bits (1gbit, 200mbit) less frames and headers, or a rate in
// bytes (118MB/s) as it is.
double parse_link(const std::string& text);

double parse_latency(const std::string& text);  // "0.2ms", "150us", "0.001s" -> seconds

double parse_price(const std::string& text);  // "3.06", "3.06/h" -> money per hour

// Share of payload in a TCP stream over Ethernet with packets of 1,500 bytes.
inline constexpr double kPayloadShare = 0.95;

}  // namespace verbund
