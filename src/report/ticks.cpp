#include "report/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace verbund {
namespace {

// 1, 2 or 5 times a power of ten, at least `width`.
double round_up(double width) {
  const double power = std::pow(10, std::floor(std::log10(width)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (width <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

// 1234567.5 with one decimal -> "1,234,567.5".
std::string with_commas(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const size_t whole = std::min(text.find('.'), text.size());
  for (size_t i = whole; i > 3; i -= 3) text.insert(i - 3, 1, ',');
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return value < 0 && !is_zero ? "-" + text : text;
}

// Decimals that a step between ticks needs: 0.05 -> 2, 20 -> 0.
int decimals_of(double step) {
  return step > 0 ? std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))) : 0;
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, int count) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || count < 1) return {};
  const double step = round_up((high - low) / count);
  std::vector<double> ticks;
  const double slack = 1e-9 * (high - low);
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack && ticks.size() < 100; ++i) {
    ticks.push_back(i == 0 ? 0 : i * step);
  }
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int count) {
  if (!(low > 0) || !std::isfinite(high) || !(low < high) || count < 1) return {};
  const double decades = std::log10(high / low);
  if (decades < 1) return linear_ticks(low, high, count);
  const auto within = [&](double value) { return value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9); };
  const bool sparse = decades < 2.5;
  const auto stride = std::max(1.0, std::ceil(decades / count));
  std::vector<double> ticks;
  for (double exponent = std::floor(std::log10(low)); exponent <= std::ceil(std::log10(high)); ++exponent) {
    if (!sparse && std::fmod(exponent, stride) != 0) continue;
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (const double value = factor * std::pow(10, exponent); within(value)) ticks.push_back(value);
      if (!sparse) break;
    }
  }
  return ticks;
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks) {
  double largest = 0, smallest_step = 0;
  for (size_t i = 0; i < ticks.size(); ++i) {
    largest = std::max(largest, std::abs(ticks[i]));
    if (i == 0) continue;
    const double step = ticks[i] - ticks[i - 1];
    if (smallest_step == 0 || step < smallest_step) smallest_step = step;
  }
  const bool even = ticks.size() < 3 || std::abs((ticks[2] - ticks[1]) - (ticks[1] - ticks[0])) < 1e-9 * largest;
  std::vector<std::string> labels;
  for (const double tick : ticks) {
    if (tick != 0 && (largest >= 1e7 || largest < 1e-3)) {
      labels.push_back(fmt::format("{:.{}g}", tick, 3));
    } else if (even) {
      labels.push_back(with_commas(tick, decimals_of(smallest_step)));
    } else {
      labels.push_back(with_commas(tick, decimals_of(std::abs(tick))));  // 0.01, 0.1, 1, 10
    }
  }
  return labels;
}

std::string human_number(double value) {
  if (std::isnan(value)) return "unknown";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-3 || size >= 1e15) return fmt::format("{:.3g}", value);
  if (value == std::floor(value)) return with_commas(value, 0);
  const int digits_before = std::max(0, static_cast<int>(std::floor(std::log10(size))) + 1);
  std::string text = with_commas(value, std::clamp(4 - digits_before, 0, 6));
  if (text.find('.') != std::string::npos) {
    text.resize(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

}  // namespace verbund
