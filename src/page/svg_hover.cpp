// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "page/escape.h"
#include "page/number_format.h"
#include "page/svg_parts.h"

namespace verbund {
namespace {

constexpr size_t kMaxZones = 48;

// The centres of zones: the points of the longest series, or some of them.
std::vector<double> centres(const Chart& chart, const PlotArea& area) {
  std::vector<double> longest;
  for (const Series& series : chart.series) {
    std::vector<double> x;
    const std::vector<double>& values = series.y.empty() ? series.low : series.y;
    for (size_t i = 0; i < std::min(series.x.size(), values.size()); ++i) {
      if (area.x.can_show(series.x[i]) && area.y.can_show(values[i])) x.push_back(series.x[i]);
    }
    if (x.size() > longest.size()) longest = std::move(x);
  }
  std::sort(longest.begin(), longest.end());
  longest.erase(std::unique(longest.begin(), longest.end()), longest.end());
  if (longest.size() <= kMaxZones) return longest;
  std::vector<double> some;  // evenly spread over the drawing
  const double from = area.x.place(longest.front()), to = area.x.place(longest.back());
  for (const double x : longest) {
    const double wanted = from + (to - from) * static_cast<double>(some.size()) / (kMaxZones - 1);
    if (some.size() < kMaxZones && area.x.place(x) >= wanted - 1e-6) some.push_back(x);
  }
  return some;
}

// The values of a series within a zone.
struct ZoneValues {
  double low = 0, high = 0, last = 0;
  bool any = false;

  void add(double value) {
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    last = value;
    any = true;
  }
  // "0.41", or "0.39 to 0.52, last 0.41"
  std::string text() const {
    if (human_number(low) == human_number(high)) return human_number(last);
    return fmt::format("{} to {}, last {}", human_number(low), human_number(high), human_number(last));
  }
};

class Zones {
 public:
  Zones(const std::vector<double>& at, const Axis& axis) : axis_(axis) {
    for (size_t i = 0; i < at.size(); ++i) {
      edges_.push_back(i == 0 ? axis.from : (axis.place(at[i - 1]) + axis.place(at[i])) / 2);
    }
    edges_.push_back(axis.to);
  }

  double from(size_t zone) const { return edges_[zone]; }
  double to(size_t zone) const { return edges_[zone + 1]; }
  size_t count() const { return edges_.size() - 1; }
  std::optional<size_t> zone_of(double x) const {
    if (!axis_.can_show(x)) return std::nullopt;
    const double place = std::clamp(axis_.place(x), edges_.front(), edges_.back());
    const auto next = std::upper_bound(edges_.begin(), edges_.end() - 1, place);
    return static_cast<size_t>(next - edges_.begin()) - 1;
  }
  std::vector<ZoneValues> values(const Series& series) const {
    std::vector<ZoneValues> values(count());
    for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      if (const auto zone = zone_of(series.x[i])) values[*zone].add(series.y[i]);
    }
    return values;
  }

 private:
  const Axis& axis_;
  std::vector<double> edges_;  // in the drawing, rising
};

}  // namespace

std::string svg_hover(const Chart& chart, const PlotArea& area) {
  const std::vector<double> at = centres(chart, area);
  if (at.empty()) return "";
  const Zones zones(at, area.x);
  std::vector<std::string> titles;
  for (const double x : at)
    titles.push_back(fmt::format("{} {}", chart.x_label, with_commas(x, x == std::round(x) ? 0 : 2)));
  for (const Series& series : chart.series) {
    const std::vector<ZoneValues> values = zones.values(series);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].any) continue;
      titles[i] += fmt::format("\n{} {}", series.name.empty() ? chart.y_label : series.name, values[i].text());
    }
  }
  for (const Mark& mark : chart.marks) {
    if (const auto zone = zones.zone_of(mark.x)) titles[*zone] += "\n" + mark.text;
  }
  std::string text;
  for (size_t i = 0; i < zones.count(); ++i) {
    text += fmt::format("<path class=\"hover\" d=\"M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}Z\"><title>{}</title></path>\n",
                        zones.from(i), area.y.to, zones.to(i), area.y.from, zones.from(i), escape_html(titles[i]));
  }
  return text;
}

}  // namespace verbund
