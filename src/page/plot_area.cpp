// SPDX-License-Identifier: Apache-2.0
#include "page/plot_area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "page/number_format.h"

namespace verbund {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Span {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

// Ensures low < high.
void widen(Span& span, bool log) {
  if (span.empty()) span = log ? Span{1, 10} : Span{0, 1};
  if (span.low < span.high) return;
  const double value = span.low;
  span = log ? Span{value / 2, value * 2}
             : Span{value - std::max(1e-12, std::abs(value) / 2), value + std::max(1e-12, std::abs(value) / 2)};
  if (!log && value == 0) span = {0, 1};
}

// A limit above all but one in two hundred values, if the largest is far above; else NaN.
double usual_height(std::vector<double> values, const Span& span) {
  if (values.size() < 200) return kNone;
  const auto nth = values.begin() + static_cast<ptrdiff_t>(values.size() - 1 - values.size() / 200);
  std::nth_element(values.begin(), nth, values.end());
  const double usual = *nth;
  return span.high - span.low > 5 * (usual - span.low) && usual > span.low ? span.low + 1.5 * (usual - span.low)
                                                                           : kNone;
}

// 1, 2 or 5 times a power of ten, at least `width`.
double round_up(double width) {
  const double power = std::pow(10, std::floor(std::log10(width)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (width <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Decimals needed for a step between ticks: 0.05 -> 2, 20 -> 0.
int decimals_of(double step) {
  return step > 0 ? std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))) : 0;
}

}  // namespace

double Axis::place(double value) const {
  const double share = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + share * (to - from);
}

bool Axis::can_show(double value) const { return std::isfinite(value) && (!log || value > 0); }

std::vector<double> Axis::ticks(int count) const {
  std::vector<double> ticks = log ? log_ticks(low, high, count) : linear_ticks(low, high, count);
  if (whole)
    std::erase_if(ticks, [](double tick) { return std::abs(tick - std::round(tick)) > 1e-9 * std::abs(tick); });
  return ticks;
}

PlotArea plot_area(const Chart& chart) {
  PlotArea area;
  area.x.log = chart.log_x;
  area.y.log = chart.log_y;
  area.x.whole = true;
  Span x, y;
  std::vector<double> values;
  for (const Series& series : chart.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!area.x.can_show(series.x[i])) continue;
      bool shown = false;
      for (const auto* list : {&series.y, &series.low, &series.high}) {
        if (i >= list->size() || !area.y.can_show((*list)[i])) continue;
        y.add((*list)[i]);
        shown = true;
        if (list == &series.y) values.push_back((*list)[i]);
      }
      if (shown) x.add(series.x[i]);
      if (shown && series.x[i] != std::round(series.x[i])) area.x.whole = false;
    }
  }
  for (const Mark& mark : chart.marks) {
    if (!x.empty() && area.x.can_show(mark.x)) x.add(mark.x);
  }
  widen(x, area.x.log);
  widen(y, area.y.log);
  area.cut_off = kNone;
  if (!area.y.log) {
    if (const double usual = usual_height(std::move(values), y); !std::isnan(usual)) {
      area.cut_off = y.high;
      y.high = usual;
    }
    if (y.low > 0 && y.low < 0.4 * y.high) y.low = 0;
    const double air = 0.05 * (y.high - y.low);
    if (y.low != 0) y.low -= air;
    y.high += air;
  } else {
    const double air = std::pow(y.high / y.low, 0.04);
    y.low /= air;
    y.high *= air;
  }
  area.x.low = x.low, area.x.high = x.high;
  area.y.low = y.low, area.y.high = y.high;
  return area;
}

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
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / count)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  std::vector<double> ticks;
  for (int exponent = static_cast<int>(std::floor(std::log10(low))); exponent <= last; ++exponent) {
    if (!sparse && exponent % stride != 0) continue;
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

}  // namespace verbund
