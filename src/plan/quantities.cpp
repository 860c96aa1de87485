// SPDX-License-Identifier: Apache-2.0
#include "plan/quantities.h"

#include <cctype>
#include <charconv>
#include <optional>
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

struct Quantity {
  const char* flag;
  const char* example;
  std::vector<Unit> units;
  const char* lowest;  // as it is written on the command line
  const char* highest;
};

// Nothing if the text is not a number with one of the units.
std::optional<double> read_quantity(const std::string& text, const Quantity& quantity) {
  const auto [number, unit] = number_and_unit(text);
  for (const Unit& known : quantity.units) {
    if (number > 0 && unit == known.name) return number * known.factor;
  }
  return std::nullopt;
}

double parse_quantity(const std::string& text, const Quantity& quantity) {
  const std::optional<double> value = read_quantity(text, quantity);
  if (!value) fail_usage("{} {} cannot be read: write it like {}", quantity.flag, text, quantity.example);
  if (*value < read_quantity(quantity.lowest, quantity) || *value > read_quantity(quantity.highest, quantity)) {
    fail_usage("{} {} is out of range: from {} to {}", quantity.flag, text, quantity.lowest, quantity.highest);
  }
  return *value;
}

}  // namespace

double parse_link(const std::string& text) {
  constexpr double kBit = kPayloadShare / 8;
  static const Quantity kLink = {"--link",
                                 "1gbit or 200mbit (bits per second), or 118MB/s (bytes per second)",
                                 {{"gbit", 1e9 * kBit},
                                  {"gbit/s", 1e9 * kBit},
                                  {"mbit", 1e6 * kBit},
                                  {"mbit/s", 1e6 * kBit},
                                  {"kbit", 1e3 * kBit},
                                  {"kbit/s", 1e3 * kBit},
                                  {"gb/s", 1e9},
                                  {"mb/s", 1e6}},
                                 "1kbit",
                                 "1000000gbit"};
  return parse_quantity(text, kLink);
}

double parse_latency(const std::string& text) {
  static const Quantity kLatency = {
      "--latency", "0.2ms (a round trip, as ping shows it)", {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}, "0.001us", "60s"};
  return parse_quantity(text, kLatency);
}

double parse_price(const std::string& text) {
  static const Quantity kPrice = {
      "--price", "3.06/h (of one host for an hour)", {{"", 1}, {"/h", 1}}, "0.000001/h", "1000000/h"};
  return parse_quantity(text, kPrice);
}

}  // namespace verbund
