// SPDX-License-Identifier: Apache-2.0
#include "page/svg_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "page/escape.h"
#include "page/number_format.h"
#include "page/plot_area.h"

namespace verbund {
namespace {

constexpr double kBarsTop = 24, kBar = 26, kRow = 38, kBarsBottom = 44;
constexpr double kRoomForNumber = 16;  // in a part
constexpr size_t kLongestName = 24;    // of a bar

double amount(const Bar& bar, size_t part) {
  return part < bar.parts.size() && std::isfinite(bar.parts[part]) ? std::max(0.0, bar.parts[part]) : 0;
}

double sum(const Bar& bar) {
  double total = 0;
  for (size_t part = 0; part < bar.parts.size(); ++part) total += amount(bar, part);
  return total;
}

// Names are at the left if there are several bars.
double left_of(const Chart& chart) {
  if (chart.bars.size() < 2) return 4;
  size_t longest = 0;
  for (const Bar& bar : chart.bars) longest = std::max(longest, std::min(bar.name.size(), kLongestName));
  return 12 + 9 * static_cast<double>(longest);
}

std::string draw_bar(const Chart& chart, const Bar& bar, double left, double top, double scale) {
  std::string text;
  double x = left;
  for (size_t part = 0; part < std::min(bar.parts.size(), chart.part_names.size()); ++part) {
    const double width = scale * amount(bar, part);
    if (width <= 0) continue;
    text += fmt::format(
        "<g class=\"part {}\"><title>{}: {} {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>",
        colour_class(part) + (part >= kColours ? " again" : ""), escape_html(chart.part_names[part]),
        human_number(bar.parts[part]), escape_html(chart.x_label), x, top, std::max(0.5, width - 1), kBar);
    if (width >= kRoomForNumber) {
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" dy=\".35em\">{}</text>",
                          x + (width - 1) / 2, top + kBar / 2, part + 1);
    }
    text += "</g>\n";
    x += width;
  }
  return text;
}

}  // namespace

double bars_height(const Chart& chart) { return 4 + kRow * static_cast<double>(chart.bars.size()) + kBarsBottom; }

std::string svg_bars(const Chart& chart, double width) {
  const double left = left_of(chart), right = 20;
  double longest = 0;
  for (const Bar& bar : chart.bars) longest = std::max(longest, sum(bar));
  if (longest <= 0) longest = 1;
  const double scale = (width - left - right) / longest;
  const double bottom = bars_height(chart) - kBarsBottom;
  std::string text;
  const std::vector<double> ticks = linear_ticks(0, longest, 6);
  const std::vector<std::string> labels = tick_labels(ticks);
  for (size_t i = 0; i < ticks.size(); ++i) {
    const double x = left + scale * ticks[i];
    text += fmt::format("<path class=\"grid\" d=\"M{:.1f} 0V{:.1f}\"/>", x, bottom) +
            x_tick_label(i, x, bottom + 17, labels[i], i == 0 && left < 10 ? "start" : "middle");
  }
  text += fmt::format("<text class=\"label\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", width - right + 6,
                      bars_height(chart) - 6, escape_html(chart.x_label));
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    const double top = 4 + kRow * static_cast<double>(i);
    if (chart.bars.size() > 1) {
      text +=
          fmt::format("<text class=\"bar-name\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" dy=\".35em\">{}</text>\n",
                      left - 8, top + kBar / 2, escape_html(shortened(chart.bars[i].name, kLongestName)));
    }
    text += draw_bar(chart, chart.bars[i], left, top, scale);
  }
  return text;
}

std::string bars_legend(const Chart& chart) {
  std::vector<std::string> items;
  for (size_t part = 0; part < chart.part_names.size(); ++part) {
    const bool used =
        std::any_of(chart.bars.begin(), chart.bars.end(), [&](const Bar& bar) { return amount(bar, part) > 0; });
    if (!used) continue;
    items.push_back(fmt::format(
        "<svg class=\"swatch number\" viewBox=\"0 0 22 16\" aria-hidden=\"true\"><g class=\"part {}\"><rect "
        "width=\"22\" height=\"16\"/><text x=\"11\" y=\"8\" text-anchor=\"middle\" "
        "dy=\".35em\">{}</text></g></svg>{}",
        colour_class(part) + (part >= kColours ? " again" : ""), part + 1, escape_html(chart.part_names[part])));
  }
  return legend_list(items);
}

}  // namespace verbund
