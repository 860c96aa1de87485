// Rates, times and prices as a user writes them: 1gbit, 118MB/s, 0.2ms, 3.06/h.
#pragma once

#include <string>

namespace verbund {

// Payload bytes a second of a link: of a nominal rate in bits (1gbit, 200mbit), what frames and headers leave of it; a
// rate in bytes (118MB/s) counts as it is.
double parse_link(const std::string& text);

double parse_latency(const std::string& text);  // "0.2ms", "150us", "0.001s" -> seconds

double parse_price(const std::string& text);  // "3.06", "3.06/h" -> money an hour

// Of a TCP stream over Ethernet with packets of 1,500 bytes.
inline constexpr double kPayloadShare = 0.95;

}  // namespace verbund
