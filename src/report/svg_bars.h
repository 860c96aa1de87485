// Draws the bars of a Chart: one under the other, each of parts that add up. A part has a number, which the legend
// explains.
#pragma once

#include <string>

#include "report/chart.h"

namespace verbund {

double bars_height(const Chart& chart);
std::string svg_bars(const Chart& chart, double width);
// Only parts that some bar has.
std::string bars_legend(const Chart& chart);

}  // namespace verbund
