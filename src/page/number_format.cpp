// SPDX-License-Identifier: Apache-2.0
#include "page/number_format.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>

#include "core/human.h"
#include "core/wall_clock.h"

namespace verbund {

std::string with_commas(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const size_t whole = std::min(text.find('.'), text.size());
  for (size_t i = whole; i > 3; i -= 3) text.insert(i - 3, 1, ',');
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return value < 0 && !is_zero ? "-" + text : text;
}

std::string human_number(double value) {
  if (std::isnan(value)) return "unknown";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-3 || size >= 1e15) return fmt::format("{:.3g}", value);
  for (const auto& [unit, name] : {std::pair(1e12, "trillion"), {1e9, "billion"}, {1e6, "million"}}) {
    if (size >= 0.99995 * unit) return human_number(value / unit) + "\u00a0" + name;
  }
  if (size >= 9999.5) {
    const double last = size >= 99995 ? 100 : 10;
    return with_commas(last * std::round(value / last), 0);
  }
  if (value == std::floor(value)) return with_commas(value, 0);
  const int digits_before = std::max(0, static_cast<int>(std::floor(std::log10(size))) + 1);
  std::string text = with_commas(value, std::clamp(4 - digits_before, 0, 6));
  if (text.find('.') != std::string::npos) {
    text.resize(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string counted(double value) {
  return std::isnan(value) ? "unknown" : human_count(static_cast<uint64_t>(std::llround(std::max(0.0, value))));
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e15 || size < 1e-3) return fmt::format("{:.2e}", value);
  if (size >= 999.5) return (value < 0 ? "-" : "") + human_count(static_cast<uint64_t>(std::llround(size)));
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string short_seconds(double seconds) {
  if (std::abs(seconds) >= 100) return human_duration(seconds);
  if (std::abs(seconds) >= 0.9995) return fmt::format("{:.2f} s", seconds);
  if (std::abs(seconds) >= 0.0001) return fmt::format("{} ms", short_number(1000 * seconds));
  return fmt::format("{} us", short_number(1e6 * seconds));
}

std::string bit_rate(double bytes_per_second) {
  const double bits = 8 * bytes_per_second;
  const std::string text =
      bits >= 1e9 ? fmt::format("{:.2f} Gbit/s", bits / 1e9) : fmt::format("{} Mbit/s", short_number(bits / 1e6));
  return fmt::format("{} ({} MB/s)", text, short_number(bytes_per_second / 1e6));
}

std::string moment_text(double at) {
  if (!std::isfinite(at) || std::abs(at) > 1e11) return "unknown";
  using namespace std::chrono;
  const std::string utc =
      utc_time(system_clock::time_point(duration_cast<system_clock::duration>(duration<double>(at))));
  return utc.substr(0, 10) + " " + utc.substr(11, 5) + " UTC";
}

std::string duration_text(double seconds) {
  return std::isfinite(seconds) && seconds >= 0 ? human_duration(seconds) : "unknown";
}

std::string counted(double count, const std::string& one, const std::string& many) {
  return human_number(count) + " " + (count == 1 ? one : many);
}

std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, std::abs(share) < 0.0995 ? 1 : 0); }

std::string p_value(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.{}f}", p, p < 0.1 ? 3 : 2); }

std::string capital(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace verbund
