#include "report/verdicts/number_format.h"

#include <algorithm>

#include "core/human.h"

namespace verbund {

std::string counted(double value) { return human_count(static_cast<uint64_t>(std::llround(std::max(0.0, value)))); }

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

}  // namespace verbund
