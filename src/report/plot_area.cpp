#include "report/plot_area.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/ticks.h"

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

// So that low < high, whatever came.
void widen(Span& span, bool log) {
  if (span.empty()) span = log ? Span{1, 10} : Span{0, 1};
  if (span.low < span.high) return;
  const double value = span.low;
  span = log ? Span{value / 2, value * 2}
             : Span{value - std::max(1e-12, std::abs(value) / 2), value + std::max(1e-12, std::abs(value) / 2)};
  if (!log && value == 0) span = {0, 1};
}

// Where all but one in two hundred values end, if the largest is far above; else NaN.
double usual_height(std::vector<double> values, const Span& span) {
  if (values.size() < 200) return kNone;
  const auto nth = values.begin() + static_cast<ptrdiff_t>(values.size() - 1 - values.size() / 200);
  std::nth_element(values.begin(), nth, values.end());
  const double usual = *nth;
  return span.high - span.low > 5 * (usual - span.low) && usual > span.low ? span.low + 1.5 * (usual - span.low)
                                                                           : kNone;
}

}  // namespace

double Axis::place(double value) const {
  const double share = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + share * (to - from);
}

bool Axis::can_show(double value) const { return std::isfinite(value) && (!log || value > 0); }

std::vector<double> Axis::ticks(int count) const {
  return log ? log_ticks(low, high, count) : linear_ticks(low, high, count);
}

PlotArea plot_area(const Chart& chart) {
  PlotArea area;
  area.x.log = chart.log_x;
  area.y.log = chart.log_y;
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

}  // namespace verbund
