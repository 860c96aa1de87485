// SPDX-License-Identifier: Apache-2.0
#include "page/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "page/curve.h"
#include "page/escape.h"
#include "page/number_format.h"
#include "page/plot_area.h"
#include "page/svg_parts.h"

namespace verbund {
namespace {

// Layout in units of the drawing, which the page scales to its width.
constexpr double kWidth = 640, kHeight = 294;
constexpr double kLeft = 68, kRight = 14, kTop = 24, kBottom = 48;
constexpr double kMarkRow = 16;      // height of a row of mark labels
constexpr size_t kMaxMarkWords = 8;  // more would overlap: lines only

std::string point(double x, double y) { return fmt::format("{:.1f} {:.1f}", x, y); }

// A path through values, interrupted at gaps.
class Path {
 public:
  void move(double x, double y) { text_ += "M" + point(x, y); }
  void line(double x, double y) { text_ += "L" + point(x, y); }
  void close() { text_ += "Z"; }
  bool empty() const { return text_.empty(); }
  std::string draw(const std::string& attributes) const {
    return empty() ? "" : fmt::format("<path {} d=\"{}\"/>\n", attributes, text_);
  }

 private:
  std::string text_;
};

std::string curve_class(size_t index, const char* kind) {
  return fmt::format("class=\"{} {}\"", kind, colour_class(index));
}

// The area between two curves over the same x values.
struct Edge {
  double x, low, high;
  bool gap_before;
};

std::string band(const std::vector<Edge>& edges, const PlotArea& area, const std::string& attributes) {
  Path path;
  for (size_t begin = 0; begin < edges.size();) {
    size_t end = begin + 1;
    while (end < edges.size() && !edges[end].gap_before) ++end;
    for (size_t i = begin; i < end; ++i) {
      const double x = area.x.place(edges[i].x), y = area.y.place(edges[i].high);
      i == begin ? path.move(x, y) : path.line(x, y);
    }
    for (size_t i = end; i-- > begin;) path.line(area.x.place(edges[i].x), area.y.place(edges[i].low));
    path.close();
    begin = end;
  }
  return path.draw(attributes);
}

// Values that cannot be shown become gaps.
std::vector<double> showable(const std::vector<double>& values, const Axis& axis) {
  std::vector<double> result = values;
  for (double& value : result) {
    if (!axis.can_show(value)) value = std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

std::string line_through(const std::vector<Bucket>& buckets, const PlotArea& area, bool steps,
                         const std::string& attributes) {
  Path path;
  double before = 0;
  for (size_t i = 0; i < buckets.size(); ++i) {
    const double x = area.x.place(buckets[i].x), y = area.y.place(buckets[i].last);
    if (i == 0 || buckets[i].gap_before) {
      path.move(x, y);
      path.line(x, y);  // with round line caps a single value is a dot
    } else {
      if (steps) path.line(x, before);
      path.line(x, y);
    }
    before = y;
  }
  return path.draw(attributes);
}

// The interval around each value, or the band itself.
std::string interval_band(const Series& series, const std::vector<double>& x, const PlotArea& area, size_t index) {
  const size_t size = std::min({x.size(), series.low.size(), series.high.size()});
  const size_t stride = std::max<size_t>(1, size / kMaxBuckets);
  std::vector<Edge> edges;
  bool gap = false;
  for (size_t i = 0; i < size; i += stride) {
    if (!std::isfinite(x[i]) || !area.y.can_show(series.low[i]) || !area.y.can_show(series.high[i])) {
      gap = true;
      continue;
    }
    edges.push_back({x[i], series.low[i], series.high[i], gap && !edges.empty()});
    gap = false;
  }
  return band(edges, area, curve_class(index, "band"));
}

std::string whiskers(const Series& series, const std::vector<double>& x, const PlotArea& area, size_t index) {
  Path path;
  for (size_t i = 0; i < std::min({x.size(), series.low.size(), series.high.size()}); ++i) {
    if (!std::isfinite(x[i]) || !area.y.can_show(series.low[i]) || !area.y.can_show(series.high[i])) continue;
    path.move(area.x.place(x[i]), area.y.place(series.low[i]));
    path.line(area.x.place(x[i]), area.y.place(series.high[i]));
  }
  return path.draw(curve_class(index, "whisker"));
}

std::string points(const std::vector<Bucket>& buckets, const PlotArea& area, size_t index) {
  std::string text;
  for (const Bucket& bucket : buckets) {
    const double x = area.x.place(bucket.x);
    text += marker_path(index, x, area.y.place(bucket.last));
    for (const double other : {bucket.low, bucket.high}) {
      if (other != bucket.last) text += marker_path(index, x, area.y.place(other));
    }
  }
  return text.empty() ? "" : fmt::format("<path {} d=\"{}\"/>\n", curve_class(index, "points"), text);
}

std::string curve(const Series& series, const std::vector<double>& x, const std::vector<double>& y,
                  const PlotArea& area, size_t index) {
  const std::vector<Bucket> buckets = into_buckets(x, y, kMaxBuckets);
  const std::string style = curve_class(index, "curve") + dash_attribute(index);
  const bool noisy = series.drawn == Drawn::kLine && is_noisy(y);
  std::string text;
  if (y.size() > kMaxBuckets) {  // the spread within a bucket
    std::vector<Edge> edges;
    for (const Bucket& bucket : buckets) edges.push_back({bucket.x, bucket.low, bucket.high, bucket.gap_before});
    text += band(edges, area, curve_class(index, "spread"));
  } else if (noisy) {
    text += line_through(buckets, area, false, curve_class(index, "raw"));
  }
  if (!noisy) return text + line_through(buckets, area, series.drawn == Drawn::kSteps, style);
  return text + line_through(into_buckets(x, smoothed(y, std::max<size_t>(5, y.size() / 40)), kMaxBuckets), area, false,
                             style);
}

std::string draw(const Series& series, const PlotArea& area, size_t index) {
  const std::vector<double> x = showable(series.x, area.x), y = showable(series.y, area.y);
  const bool has_interval = !series.low.empty() && !series.high.empty();
  std::string text;
  if (has_interval) {
    text += series.drawn == Drawn::kPoints ? whiskers(series, x, area, index) : interval_band(series, x, area, index);
  }
  if (y.empty() || (series.drawn == Drawn::kBand && has_interval && is_noisy(y))) return text;  // the band is enough
  if (series.drawn == Drawn::kPoints) return text + points(into_buckets(x, y, kMaxBuckets), area, index);
  text += curve(series, x, y, area, index);
  constexpr size_t kMaxPoints = 100;  // more would hide the line
  if (series.drawn != Drawn::kMarked || y.size() > kMaxPoints) return text;
  return text + points(into_buckets(x, y, kMaxBuckets), area, index);
}

std::string x_axis(const PlotArea& area, const std::string& label) {
  const std::vector<double> ticks = area.x.ticks(7);
  const std::vector<std::string> labels = tick_labels(ticks);
  std::string text;
  for (size_t i = 0; i < ticks.size(); ++i) {
    const double x = area.x.place(ticks[i]);
    const char* anchor = x > kWidth - kRight - 20 ? "end" : "middle";
    text += fmt::format("<path class=\"tick\" d=\"M{:.1f} {}v4\"/>", x, kHeight - kBottom) +
            x_tick_label(i, x, kHeight - kBottom + 21, labels[i], anchor);
  }
  return text + fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kWidth - kRight,
                            kHeight - 6, escape_html(label));
}

std::string y_axis(const PlotArea& area, const std::string& label) {
  const std::vector<double> ticks = area.y.ticks(5);
  const std::vector<std::string> labels = tick_labels(ticks);
  std::string text;
  for (size_t i = 0; i < ticks.size(); ++i) {
    const double y = area.y.place(ticks[i]);
    text += fmt::format(
        "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\" "
        "dy=\".35em\">{}</text>\n",
        kLeft, y, kWidth - kRight, kLeft - 8, y, labels[i]);
  }
  return text + fmt::format("<text class=\"label\" x=\"0\" y=\"13\">{}</text>\n", escape_html(label));
}

// Labels use up to three rows, so that close ones do not overlap.
std::string marks(const Chart& chart, const PlotArea& area, double top) {
  std::string text;
  std::array<double, 3> row_ends = {-1e9, -1e9, -1e9};
  double before = -1e9;
  for (const Mark& mark : chart.marks) {
    if (!area.x.can_show(mark.x)) continue;
    const double x = area.x.place(mark.x);
    if (chart.marks.size() > kMaxMarkWords && std::abs(x - before) < 1) continue;  // one line for each place
    before = x;
    text += fmt::format("<g class=\"mark\"><title>{}</title><path d=\"M{:.1f} {:.1f}V{}\"/>", escape_html(mark.text), x,
                        top, kHeight - kBottom);
    const double width = 9.5 * static_cast<double>(std::min<size_t>(mark.text.size(), 40));
    const bool at_right = x + width > kWidth - kRight;
    const double begin = at_right ? x - width : x;
    const auto row = std::find_if(row_ends.begin(), row_ends.end(), [&](double end) { return end < begin; });
    if (chart.marks.size() <= kMaxMarkWords && row != row_ends.end()) {
      *row = begin + width;
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x + (at_right ? -4 : 4),
                          top + 11 + kMarkRow * static_cast<double>(row - row_ends.begin()), at_right ? "end" : "start",
                          escape_html(shortened(mark.text, 40)));
    }
    text += "</g>\n";
  }
  return text;
}

// For screen readers.
std::string description(const Chart& chart) {
  std::string text = chart.hint;
  for (const Series& series : chart.series) {
    const std::optional<SeriesRange> range = range_of(series);
    if (!range) continue;
    text += fmt::format(" {}: from {} to {}, last {}.", series.name.empty() ? chart.y_label : series.name,
                        human_number(range->low), human_number(range->high), human_number(range->last));
  }
  return text;
}

std::string frame(const Chart& chart, const std::string& id, double height, const std::string& content) {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-t {}-d\"><title id=\"{}-t\">{}</title><desc "
      "id=\"{}-d\">{}</desc>\n{}</svg>\n",
      kWidth, height, id, id, id, escape_html(chart.title), id, escape_html(description(chart)), content);
}

}  // namespace

std::string svg_chart(const Chart& chart, const std::string& id) {
  if (!chart.bars.empty()) return frame(chart, id, bars_height(chart), svg_bars(chart, kWidth));
  PlotArea area = plot_area(chart);
  area.x.from = kLeft, area.x.to = kWidth - kRight;
  area.y.from = kHeight - kBottom, area.y.to = kTop;
  std::string content = y_axis(area, chart.y_label) + x_axis(area, chart.x_label);
  content +=
      fmt::format("<clipPath id=\"{}-c\"><path d=\"M{} {}H{}V{}H{}Z\"/></clipPath><g clip-path=\"url(#{}-c)\">\n", id,
                  kLeft - 4, kTop - 4, kWidth - kRight + 4, kHeight - kBottom + 2, kLeft - 4, id);
  content += marks(chart, area, kTop);
  for (size_t i = 0; i < chart.series.size(); ++i) content += draw(chart.series[i], area, i);
  content += "</g>\n" + svg_hover(chart, area);
  content += fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>\n", kLeft, kHeight - kBottom, kWidth - kRight);
  if (std::isfinite(area.cut_off)) {
    content += fmt::format("<text class=\"label\" x=\"{}\" y=\"13\" text-anchor=\"end\">spikes up to {}</text>\n",
                           kWidth - kRight, escape_html(human_number(area.cut_off)));
  }
  return frame(chart, id, kHeight, content);
}

std::string chart_legend(const Chart& chart) {
  if (!chart.bars.empty()) return bars_legend(chart);
  if (chart.series.size() < 2 && (chart.series.empty() || chart.series[0].name.empty())) return "";
  std::vector<std::string> items;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    items.push_back(legend_swatch(chart.series[i].drawn, i) + escape_html(chart.series[i].name));
  }
  return legend_list(items);
}

}  // namespace verbund
