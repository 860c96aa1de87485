// Draws a Chart as SVG, and its legend as HTML. Colours are CSS variables of the page (style.cpp), so that one drawing
// serves light, dark and print; series differ by dash and shape as well, and parts of bars by a number, so that nobody
// needs the colours. Text in it is escaped.
#pragma once

#include <string>

#include "report/chart.h"

namespace verbund {

inline constexpr size_t kMostBuckets = 600;  // of a long series

// `id` must be the only one of its kind in the page.
std::string svg_chart(const Chart& chart, const std::string& id);

// "" if there is one unnamed series.
std::string chart_legend(const Chart& chart);

}  // namespace verbund
