// SPDX-License-Identifier: Apache-2.0
#include "config/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace verbund {
namespace {

constexpr int64_t kMaxExponent = 1000000;  // beyond it every number is too large or too small

// digits * 10^exponent
struct Decimal {
  bool negative = false;
  std::string digits;
  int64_t exponent = 0;
};

// "25k" -> "25", 3
int64_t take_unit(std::string_view& text) {
  const char unit = text.empty() ? '\0' : text.back();
  const int64_t exponent = unit == 'k' || unit == 'K' ? 3 : unit == 'M' ? 6 : unit == 'G' ? 9 : 0;
  if (exponent > 0) text.remove_suffix(1);
  return exponent;
}

// "1e6" -> "1", 6
std::optional<int64_t> take_exponent(std::string_view& text) {
  const size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return 0;
  std::string_view power = text.substr(e + 1);
  text = text.substr(0, e);
  if (power.size() > 1 && power.front() == '+' && power[1] != '-') power.remove_prefix(1);
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (end != power.data() + power.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) exponent = power.front() == '-' ? -kMaxExponent : kMaxExponent;
  return std::clamp(exponent, -kMaxExponent, kMaxExponent);
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal decimal;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    decimal.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const int64_t unit = take_unit(text);
  const std::optional<int64_t> power = take_exponent(text);
  if (!power) return std::nullopt;
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  decimal.digits = std::string(text.substr(0, point)).append(fraction);
  decimal.exponent = unit + *power - static_cast<int64_t>(fraction.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (decimal.digits.empty() || !std::all_of(decimal.digits.begin(), decimal.digits.end(), is_digit)) {
    return std::nullopt;
  }
  return decimal;
}

}  // namespace

WholeNumber parse_whole(std::string_view text, int64_t& number) {
  std::optional<Decimal> decimal = parse_decimal(text);
  if (!decimal) return WholeNumber::kNoNumber;
  std::string& digits = decimal->digits;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  for (; decimal->exponent < 0 && !digits.empty(); ++decimal->exponent) {
    if (digits.back() != '0') return WholeNumber::kNotWhole;
    digits.pop_back();
  }
  if (digits.empty()) {
    number = 0;
    return WholeNumber::kRead;
  }
  if (static_cast<int64_t>(digits.size()) + decimal->exponent > std::numeric_limits<int64_t>::digits10 + 1) {
    return WholeNumber::kTooLarge;
  }
  const std::string zeros(static_cast<size_t>(decimal->exponent), '0');
  const std::string written = (decimal->negative ? "-" : "") + digits + zeros;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), number);
  return error == std::errc() ? WholeNumber::kRead : WholeNumber::kTooLarge;
}

bool parse_real(std::string_view text, double& number) {
  const std::optional<Decimal> decimal = parse_decimal(text);
  if (!decimal) return false;
  const std::string written = fmt::format("{}{}e{}", decimal->negative ? "-" : "", decimal->digits, decimal->exponent);
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), number);
  return error == std::errc() && end == written.data() + written.size();
}

std::optional<StepWindow> parse_step_window(const std::string& text) {
  if (text.empty()) return StepWindow();
  const size_t dash = text.find('-');
  if (dash == std::string::npos) return {};
  StepWindow window;
  const bool read = parse_whole(text.substr(0, dash), window.first) == WholeNumber::kRead &&
                    parse_whole(text.substr(dash + 1), window.last) == WholeNumber::kRead;
  if (!read || window.first < 1 || window.last < window.first) return {};
  if (window.last - window.first >= StepWindow::kMax) return {};
  return window;
}

std::string to_text(const StepWindow& window) {
  return window.empty() ? "" : fmt::format("{}-{}", window.first, window.last);
}

}  // namespace verbund
