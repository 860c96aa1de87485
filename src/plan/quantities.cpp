// SPDX-License-Identifier: Apache-2.0
#include "plan/quantities.h"

#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "core/error.h"

namespace verbund {
namespace {

// The leading number and the unit after it, in lower case without blanks.
std::pair<double, std::string> number_and_unit(const std::string& text) {
  double number = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {-1, ""};
  std::string unit;
  for (const char* at = rest; at != text.data() + text.size(); ++at) {
    if (*at != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
  }
  return {number, unit};
}

struct Unit {
  const char* name;
  double factor;
};

double in_units(const std::string& text, const std::vector<Unit>& units, const char* flag, const char* example) {
  const auto [number, unit] = number_and_unit(text);
  for (const Unit& known : units) {
    if (number > 0 && unit == known.name) return number * known.factor;
  }
  fail_usage("{} {} cannot be read: write it like {}", flag, text, example);
}

}  // namespace

double parse_link(const std::string& text) {
  constexpr double kBit = kPayloadShare / 8;
  return in_units(text,
                  {{"gbit", 1e9 * kBit},
                   {"gbit/s", 1e9 * kBit},
                   {"mbit", 1e6 * kBit},
                   {"mbit/s", 1e6 * kBit},
                   {"kbit", 1e3 * kBit},
                   {"kbit/s", 1e3 * kBit},
                   {"gb/s", 1e9},
                   {"mb/s", 1e6}},
                  "--link", "1gbit or 200mbit (bits per second), or 118MB/s (bytes per second)");
}

double parse_latency(const std::string& text) {
  return in_units(text, {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}, "--latency", "0.2ms (a round trip, as ping shows it)");
}

double parse_price(const std::string& text) {
  return in_units(text, {{"", 1}, {"/h", 1}}, "--price", "3.06/h (of one host for an hour)");
}

}  // namespace verbund
