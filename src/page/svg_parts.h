// SPDX-License-Identifier: Apache-2.0
// Parts of an SVG chart: the look of the n-th series, labels and legends, and bars. Each is escaped.
#pragma once

#include <string>
#include <vector>

#include "page/chart.h"
#include "page/plot_area.h"

namespace verbund {

inline constexpr size_t kColours = 8;  // .c1 to .c8 of the page's style

std::string colour_class(size_t index);    // "c1"
std::string dash_attribute(size_t index);  // "" for the first, which is solid
// A circle, square, triangle, ... around this point, as path commands.
std::string marker_path(size_t index, double x, double y);
std::string legend_swatch(Drawn drawn, size_t index);
// An HTML list of items, which are markup.
std::string legend_list(const std::vector<std::string>& items);
// The index-th label of the x axis; narrow pages hide every other one.
std::string x_tick_label(size_t index, double x, double y, const std::string& text, const char* anchor);

// Transparent zones over the plot whose titles have the values there: browsers show them under the pointer, without a
// script.
std::string svg_hover(const Chart& chart, const PlotArea& area);

// Bars one below the other, each of parts that add up. A part has a number, which the legend explains.
double bars_height(const Chart& chart);
std::string svg_bars(const Chart& chart, double width);
// The legend has only parts that some bar has.
std::string bars_legend(const Chart& chart);

}  // namespace verbund
