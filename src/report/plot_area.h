// The axes of a drawing: which values they span, and where a value lies.
#pragma once

#include <string>
#include <vector>

#include "report/chart.h"

namespace verbund {

struct Axis {
  double low = 0, high = 1;  // values
  double from = 0, to = 1;   // where they lie in the drawing
  bool log = false;

  double place(double value) const;
  bool can_show(double value) const;  // finite, and positive on a log axis
  std::vector<double> ticks(int count) const;
};

struct PlotArea {
  Axis x, y;
  // Rare spikes may be cut off, so that the rest can be seen: the largest value, NaN if none was cut.
  double cut_off = 0;
};

// Spans all series and marks, with some air above and below; from 0 on if that is near.
PlotArea plot_area(const Chart& chart);

}  // namespace verbund
