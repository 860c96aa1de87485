// SPDX-License-Identifier: Apache-2.0
// PlotArea holds the axes of a drawing: the values they span, where a value lies, and their ticks.
#pragma once

#include <string>
#include <vector>

#include "page/chart.h"

namespace verbund {

struct Axis {
  double low = 0, high = 1;  // values
  double from = 0, to = 1;   // positions in the drawing
  bool log = false;
  bool whole = false;  // all values are whole numbers, such as steps or workers: so are the ticks

  double place(double value) const;
  bool can_show(double value) const;  // finite, and positive on a log axis
  std::vector<double> ticks(int count) const;
};

struct PlotArea {
  Axis x, y;
  // Rare spikes are cut off, so that the rest is visible: the largest value; NaN if none was cut.
  double cut_off = 0;
};

// Spans all series and marks, with a margin above and below; begins at 0 if that is close.
PlotArea plot_area(const Chart& chart);

// About `count` round numbers (1, 2 or 5 times a power of ten) within [low, high].
std::vector<double> linear_ticks(double low, double high, int count);

// Powers of ten within [low, high], which are positive; with 2 and 5 times them, or round numbers, if those are too
// few.
std::vector<double> log_ticks(double low, double high, int count);

// Labels with just enough decimals: "0.0", "0.5", "1.0"; "25,000"; with an exponent for very small or large numbers.
std::vector<std::string> tick_labels(const std::vector<double>& ticks);

}  // namespace verbund
