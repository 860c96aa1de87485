// SPDX-License-Identifier: Apache-2.0
// svg_chart() draws a Chart as SVG, chart_legend() its legend as HTML. Colours are CSS variables of the page
// (page.css), so that one drawing serves light, dark and print; series also differ by dash and shape, and parts of
// bars by a number, so that nobody needs the colours. Text is escaped.
#pragma once

#include <string>

#include "page/chart.h"

namespace verbund {

inline constexpr size_t kMaxBuckets = 600;  // of a long series

// `id` must be unique in the page.
std::string svg_chart(const Chart& chart, const std::string& id);

// "" if there is one unnamed series.
std::string chart_legend(const Chart& chart);

}  // namespace verbund
